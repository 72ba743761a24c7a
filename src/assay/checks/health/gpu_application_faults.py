"""Are there no GPU faults that programs cause (Xid 13, 31, 43): asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import NVIDIA, SEE_XID, judged, line, present
from assay.kit.check import check
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.gpu-application-faults",
    asks="Are there no GPU faults that programs cause (Xid 13, 31, 43)?",
    severity=Severity.INFO,
    why="Such faults are almost always a bug of the program that ran; the same one under "
    "different programs points to the GPU.",
    fix="Restart the program; if one GPU shows them under different programs, test that GPU.",
    see=[SEE_XID],
    reproduce="dmesg | grep Xid",
    plants=[
        line(
            "NVRM: Xid (PCI:0000:1b:00): 31, pid=2079991, name=python3, Ch 00000007, intr "
            "00000000. MMU Fault: ENGINE GRAPHICS GPC6 faulted @ 0x6f6f_320c2000."
        ),
    ],
)
def gpu_application_faults(
    events: Sequence[KernelEvent],
    log: Sequence[KernelLog],
    devices: Sequence[PciDevice] | None,
) -> Iterator[Verdict]:
    """Judge GPU fault of a programs in the log that was read."""
    found = [e for e in events if e.vendor == "nvidia" and e.fault_class.startswith("application")]
    there = present(devices, NVIDIA)
    yield from judged(found, log, "GPU fault of a program", mild=Severity.INFO, present=there)
