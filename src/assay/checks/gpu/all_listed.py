"""A GPU on the bus that its driver does not list is a GPU that no job will get."""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, part_of
from assay.checks.pci.roles import GIVEN_AWAY, accelerators
from assay.kit.accelerator import registry
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.dmi import Virtualization
from assay.model.facts.pci import PciDevice
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

SLICES = (1, 2, 4)  # what clouds cut a board of eight into


@check(
    "gpu.all-listed",
    asks="Are all accelerators there: those on the bus, and as many as the board has?",
    severity=Severity.CRITICAL,
    why="A node with seven of eight GPUs still takes jobs and fails them, or runs them slower.",
    fix="Drain the node; look for the missing device in the kernel log and in lspci, then reset, "
    "reseat or replace it.",
    see=[NVML, "https://docs.kernel.org/PCI/pci.html"],
    reproduce="nvidia-smi -L | wc -l; lspci -d 10de: | grep -c '3D controller'",
    plants=[
        plant(Edit(XML.source, old='<gpu id="00000000:1B:00.0">', new='<gone id="x">'),
              Edit(XML.source, old="</gpu>", new="</gone>"),
              Edit(XML.source, old="<attached_gpus>8<", new="<attached_gpus>7<"),
              name="one of eight is gone"),
    ],
)  # fmt: skip
def all_listed(
    devices: Sequence[Accelerator],
    bus: Sequence[PciDevice] | None,
    virtualization: Sequence[Virtualization] | None,
) -> Iterator[Verdict]:
    """Count what the tool lists, what the bus has, and what the part usually comes in."""
    listed = Counter(vendor for vendor, _ in {(d.vendor, d.index) for d in devices})
    inside = next((v.container for v in virtualization or () if v.container), "")
    for vendor, maker in sorted(registry.items()):
        count, here = listed[vendor], _on_bus(maker.pci_vendor, bus or ())
        bound = [d for d in here if d.driver and maker.drives(d.driver)]
        usual = {n for d in devices if d.vendor == vendor for n in _usual(d)}
        if inside and len(here) > count:
            seen = f"{count} listed inside a {inside} container, {len(here)} on the PCI bus"
            yield unknown(vendor, f"{seen}: a container may be given fewer")
        elif not count and bound:
            seen = f"{len(bound)} on the PCI bus with their driver, none listed by {maker.tool}"
            yield unknown(vendor, seen)
        elif not count:
            continue
        elif len(here) > count:
            yield failed(vendor, f"{count} listed by the tool, {len(here)} on the PCI bus")
        elif usual and count not in usual and count not in SLICES:
            wanted = " or ".join(map(str, sorted(usual)))
            yield failed(vendor, f"{count} listed, nodes of this part have {wanted}")
        elif usual or here:
            also = f", {len(here)} on the PCI bus" if here else ""
            yield passed(vendor, f"{count} listed by the tool{also}")
        else:
            yield unknown(vendor, f"{count} listed by the tool; the PCI bus was not counted")


def _on_bus(vendor: str, bus: Sequence[PciDevice]) -> list[PciDevice]:
    """Those that this system has for itself: not virtual functions, not passed on to a guest."""
    return [
        device
        for device in accelerators(bus)
        if device.vendor_id == vendor
        and device.driver not in GIVEN_AWAY
        and device.virtual_function is not True
    ]


def _usual(device: Accelerator) -> tuple[int, ...]:
    part = part_of(device)
    return part.per_node if part else ()
