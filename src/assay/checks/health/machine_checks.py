"""Is the kernel log free of machine checks and memory errors: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import judged, line
from assay.kit.check import check
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.machine-checks",
    asks="Is the kernel log free of machine checks and memory errors?",
    severity=Severity.CRITICAL,
    why="An uncorrected machine check means that a processor or memory returned wrong data.",
    fix="Drain the node, run the vendor's memory test and replace the part that the record names.",
    see=["https://docs.kernel.org/admin-guide/ras.html"],
    reproduce="dmesg | grep -i 'hardware error\\|EDAC'",
    plants=[
        line("mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00000000800400"),
    ],
)
def machine_checks(events: Sequence[KernelEvent], log: Sequence[KernelLog]) -> Iterator[Verdict]:
    """Judge machine checks in the log that was read."""
    found = [e for e in events if e.kind in ("mce", "apei_ghes", "edac_corrected")]
    yield from judged(found, log, "machine check", mild=Severity.LOW)
