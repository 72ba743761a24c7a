"""Is the kernel log free of disk and file system failures: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import judged, line
from assay.kit.check import check
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.storage-failures",
    asks="Is the kernel log free of disk and file system failures?",
    severity=Severity.HIGH,
    why="A file system that was remounted read-only, or a disk with media errors, loses "
    "checkpoints.",
    fix="Drain the node, replace the disk, check the file system; do not just remount it.",
    see=["https://docs.kernel.org/admin-guide/md.html"],
    reproduce="dmesg | grep -iE 'read-only|I/O error|Medium Error|nvme'",
    plants=[
        line("EXT4-fs (md0): Remounting filesystem read-only"),
        line("blk_update_request: critical medium error, dev nvme3n1, sector 1953525160"),
    ],
)
def storage_failures(events: Sequence[KernelEvent], log: Sequence[KernelLog]) -> Iterator[Verdict]:
    """Judge disk or file system failures in the log that was read."""
    found = [
        e for e in events if e.kind in ("fs_readonly", "fs_error", "disk_error", "md_degraded")
    ]
    yield from judged(found, log, "disk or file system failure", mild=Severity.MEDIUM)
