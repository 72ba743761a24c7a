"""Has the kernel run without a crash, lockup or stall: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import judged, line
from assay.kit.check import check
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.kernel-crashes",
    asks="Has the kernel run without a crash, lockup or stall?",
    severity=Severity.HIGH,
    why="After an oops or a lockup the state of the kernel cannot be trusted.",
    fix="Drain and reboot the node; keep the log for the vendor of the module that the trace "
    "names.",
    see=["https://docs.kernel.org/admin-guide/lockup-watchdogs.html"],
    reproduce="dmesg | grep -E 'BUG|Oops|lockup|stall'",
    plants=[
        line("watchdog: BUG: soft lockup - CPU#18 stuck for 27s! [python3:2254956]"),
        line("BUG: kernel NULL pointer dereference, address: 0000000000000008"),
    ],
)
def kernel_crashes(events: Sequence[KernelEvent], log: Sequence[KernelLog]) -> Iterator[Verdict]:
    """Judge crash, lockup or stalls in the log that was read."""
    found = [
        e for e in events if e.kind in ("soft_lockup", "hard_lockup", "rcu_stall", "kernel_oops")
    ]
    yield from judged(found, log, "crash, lockup or stall", mild=Severity.MEDIUM)
