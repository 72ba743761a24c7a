"""Is the kernel log free of NVSwitch faults (SXid): asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import NVIDIA, judged, line, present
from assay.kit.check import check
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.nvswitch-faults",
    asks="Is the kernel log free of NVSwitch faults (SXid)?",
    severity=Severity.CRITICAL,
    why="A fault of an NVSwitch or its link takes NVLink away from several GPUs at once.",
    fix="Reset the fabric (stop the fabric manager, reset all GPUs and switches) or reboot; "
    "replace the part if it repeats.",
    see=["https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"],
    reproduce="dmesg | grep SXid",
    plants=[
        line("nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up"),
    ],
)
def nvswitch_faults(
    events: Sequence[KernelEvent],
    log: Sequence[KernelLog],
    devices: Sequence[PciDevice] | None,
) -> Iterator[Verdict]:
    """Judge NVSwitch faults in the log that was read."""
    found = [e for e in events if e.kind == "sxid"]
    there = present(devices, NVIDIA)
    yield from judged(found, log, "NVSwitch fault", mild=Severity.MEDIUM, present=there)
