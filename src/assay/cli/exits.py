"""Exit codes: what a script can tell from a run.

=== ===================================================================
0   answered; no finding at or above ``--fail-on``
1   findings at or above ``--fail-on``
2   usage or configuration (nothing was judged)
3   incomplete: an unknown of a severity that matters, and nothing worse
4   the target cannot be reached, or its recording is refused
70  a bug in Assay
130 interrupted; what was read until then is kept and judged
=== ===================================================================
"""

from assay.model.outcome import Outcome, Severity
from assay.model.report import NodeState, Report

CLEAN = 0
FINDINGS = 1
USAGE = 2
INCOMPLETE = 3
UNREACHABLE = 4
BUG = 70
INTERRUPTED = 130


def of(report: Report, fail_on: Severity | None) -> int:
    """The exit code of *report*; with *fail_on* None nothing that was found fails."""
    if report.errors:
        return BUG
    if report.nodes and all(node.state is NodeState.UNREAD for node in report.nodes):
        return UNREACHABLE
    if fail_on is None:
        return CLEAN

    def matter(outcome: Outcome) -> bool:
        return any(f.severity.rank >= fail_on.rank for f in report.findings(outcome))

    if matter(Outcome.FAIL):
        return FINDINGS
    unread = any(node.state is not NodeState.READ for node in report.nodes)
    if unread or not report.nodes or matter(Outcome.UNKNOWN):
        return INCOMPLETE
    return CLEAN
