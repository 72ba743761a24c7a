"""Has no process been killed for lack of memory: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import judged, line
from assay.kit.check import check
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.oom-kills",
    asks="Has no process been killed for lack of memory?",
    severity=Severity.MEDIUM,
    why="The kernel kills the largest process when memory runs out: a job, or the daemon that "
    "watches over it.",
    fix="Give jobs memory limits (DefMemPerGPU, cgroups) and leave memory for the system's own "
    "services.",
    see=["https://docs.kernel.org/admin-guide/cgroup-v2.html"],
    reproduce="dmesg | grep -i 'out of memory\\|oom-kill'",
    plants=[
        line("Out of memory: Killed process 4211 (python3) total-vm:812345kB, anon-rss:512345kB"),
    ],
)
def oom_kills(events: Sequence[KernelEvent], log: Sequence[KernelLog]) -> Iterator[Verdict]:
    """Judge kill for lack of memorys in the log that was read."""
    found = [e for e in events if e.kind == "oom_kill"]
    yield from judged(found, log, "kill for lack of memory", mild=Severity.MEDIUM)
