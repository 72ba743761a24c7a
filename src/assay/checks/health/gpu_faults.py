"""Is the kernel log free of GPU hardware faults (Xid): asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import NVIDIA, SEE_XID, judged, line, present
from assay.kit.check import check
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.gpu-faults",
    asks="Is the kernel log free of GPU hardware faults (Xid)?",
    severity=Severity.CRITICAL,
    why="NVIDIA GPUs report faults as Xid lines; jobs crash, hang or compute wrong values "
    "after some of them.",
    fix="Follow the action of the code: `assay explain` and NVIDIA's Xid page; reset the GPU "
    "or drain and reboot the node.",
    see=[SEE_XID],
    reproduce="dmesg | grep -E 'NVRM|Xid'",
    plants=[
        line(
            "NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has "
            "fallen off the bus."
        ),
        line(
            "NVRM: Xid (PCI:0000:52:00): 48, pid='<unknown>', name=<unknown>, An "
            "uncorrectable double bit error (DBE) has been detected on GPU in the "
            "framebuffer."
        ),
        line(
            "NVRM: Xid (PCI:0000:9b:00): 154, GPU recovery action changed from 0x0 (None) "
            "to 0x2 (Node Reboot Required)"
        ),
    ],
)
def gpu_faults(
    events: Sequence[KernelEvent],
    log: Sequence[KernelLog],
    devices: Sequence[PciDevice] | None,
) -> Iterator[Verdict]:
    """Judge GPU faults in the log that was read."""
    found = [
        e
        for e in events
        if e.vendor == "nvidia"
        and e.kind not in ("sxid",)
        and not e.fault_class.startswith("application")
    ]
    there = present(devices, NVIDIA)
    yield from judged(found, log, "GPU fault", mild=Severity.MEDIUM, present=there)
