"""Is the kernel log free of DMA that the IOMMU refused: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import judged, line
from assay.kit.check import check
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.iommu-faults",
    asks="Is the kernel log free of DMA that the IOMMU refused?",
    severity=Severity.MEDIUM,
    why="A refused DMA is a driver or device that writes where it may not.",
    fix="Find the device at that address; check its driver and the IOMMU mode (iommu=pt on "
    "bare metal).",
    see=["https://docs.kernel.org/arch/x86/iommu.html"],
    reproduce="dmesg | grep -E 'IO_PAGE_FAULT|DMAR'",
    plants=[
        line(
            "DMAR: [DMA Read NO_PASID] Request device [1b:00.0] fault addr 0x7f0000000 "
            "[fault reason 0x06] PTE Read access is not set"
        ),
    ],
)
def iommu_faults(events: Sequence[KernelEvent], log: Sequence[KernelLog]) -> Iterator[Verdict]:
    """Judge refused DMAs in the log that was read."""
    found = [e for e in events if e.kind == "iommu_fault"]
    yield from judged(found, log, "refused DMA", mild=Severity.MEDIUM)
