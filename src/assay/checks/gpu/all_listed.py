"""A GPU on the bus that its driver does not list is a GPU that no job will get."""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, part_of
from assay.checks.pci.roles import GIVEN_AWAY, accelerators
from assay.kit.accelerator import registry
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.pci import PciDevice
from assay.model.finding import Verdict, failed, passed
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
    plants=[plant(Edit(XML.source, old='<gpu id="00000000:1B:00.0">', new='<gone id="x">'),
                  Edit(XML.source, old="</gpu>", new="</gone>"), name="one of eight is gone")],
)  # fmt: skip
def all_listed(
    devices: Sequence[Accelerator], bus: Sequence[PciDevice] | None
) -> Iterator[Verdict]:
    """Count what the tool lists, what the bus has, and what the part usually comes in."""
    listed = Counter(device.vendor for device in devices)
    on_bus: Counter[str] = Counter()
    for device in accelerators(bus or ()):
        # what a virtual machine was given, or a driver of pass-through holds, is not ours to list
        if device.driver not in GIVEN_AWAY and device.virtual_function is not True:
            on_bus[device.vendor_id] += 1
    for vendor, count in sorted(listed.items()):
        here = on_bus[registry[vendor].pci_vendor] if vendor in registry else 0
        usual = {n for d in devices if d.vendor == vendor for n in _usual(d)}
        if here > count:
            yield failed(vendor, f"{count} listed by the tool, {here} on the PCI bus")
        elif usual and count not in usual and count not in SLICES:
            wanted = " or ".join(map(str, sorted(usual)))
            yield failed(vendor, f"{count} listed, nodes of this part have {wanted}")
        else:
            also = f", {here} on the PCI bus" if here else ""
            yield passed(vendor, f"{count} listed by the tool{also}")


def _usual(device: Accelerator) -> tuple[int, ...]:
    part = part_of(device)
    return part.per_node if part else ()
