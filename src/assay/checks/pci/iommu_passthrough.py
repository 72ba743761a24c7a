"""An IOMMU that translates stands in the way of peer-to-peer traffic."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import GIVEN_AWAY, accelerators, named
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.dmi import Virtualization
from assay.model.facts.iommu import Iommu
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.pci_iommu import MODES, ROOT

PASSTHROUGH = "identity"
TRANSLATING = frozenset({"DMA", "DMA-FQ", "blocked"})


@check(
    "pci.iommu-passthrough",
    asks="On bare metal, is the IOMMU off or in passthrough for every accelerator?",
    severity=Severity.MEDIUM,
    why="A translating IOMMU slows every transfer down and makes peer-to-peer traffic fail or "
    "detour; accelerator makers ask for passthrough.",
    fix="Boot with iommu=pt (on Arm iommu.passthrough=1), or turn the IOMMU off in the firmware.",
    see=[
        "https://rocm.docs.amd.com/en/latest/how-to/system-optimization/mi300x.html",
        "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
        "https://www.kernel.org/doc/html/latest/admin-guide/kernel-parameters.html",
    ],
    reproduce="cat /sys/bus/pci/devices/BDF/iommu_group/type",
    plants=[plant(Edit(MODES.source, path=ROOT + "1/type", new="DMA-FQ\n"))],
)
def iommu_passthrough(
    devices: Sequence[PciDevice],
    iommus: Sequence[Iommu],
    virtualization: Sequence[Virtualization],
) -> Iterator[Verdict]:
    """Find the mode of the group that each accelerator is in."""
    computing = accelerators(devices)
    if not computing:
        return
    if next((v.virtual for v in virtualization), None):
        yield not_applicable(HOST, "a virtual machine")
        return
    iommu = next(iter(iommus), None)
    for device in computing:
        if device.driver in GIVEN_AWAY:
            yield not_applicable(named(device), f"given to a virtual machine ({device.driver})")
        elif device.iommu_group is not None:
            mode = iommu.mode(device.iommu_group) if iommu else None
            yield _judge(named(device), device.iommu_group, mode)
        elif iommu is not None and not iommu.units and not iommu.groups:
            yield passed(named(device), "no IOMMU is in use")
        else:
            yield unknown(named(device), "there is an IOMMU, but the device's group was not seen")


def _judge(name: str, group: int, mode: str | None) -> Verdict:
    if mode == PASSTHROUGH:
        return passed(name, f"IOMMU group {group} is in passthrough ({mode})")
    if mode in TRANSLATING:
        return failed(name, f"IOMMU group {group} is {mode}, {PASSTHROUGH} is wanted")
    return unknown(name, f"IOMMU group {group} is in the mode {mode or 'that was not read'!r}")
