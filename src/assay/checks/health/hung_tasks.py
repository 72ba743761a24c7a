"""Is no process stuck in the kernel: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import judged, line
from assay.kit.check import check
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.hung-tasks",
    asks="Is no process stuck in the kernel?",
    severity=Severity.MEDIUM,
    why="A task that waits for minutes inside the kernel usually waits for storage that does "
    "not answer.",
    fix="Find what it waits for (`cat /proc/PID/stack`), most often a network file system or a "
    "failing disk.",
    see=["https://docs.kernel.org/admin-guide/sysctl/kernel.html"],
    reproduce="dmesg | grep 'blocked for more than'",
    plants=[
        line("INFO: task jfsmount:136986 blocked for more than 120 seconds."),
    ],
)
def hung_tasks(events: Sequence[KernelEvent], log: Sequence[KernelLog]) -> Iterator[Verdict]:
    """Judge hung task or silent NFS servers in the log that was read."""
    found = [e for e in events if e.kind in ("hung_task", "nfs_server")]
    yield from judged(found, log, "hung task or silent NFS server", mild=Severity.MEDIUM)
