"""What changed between two reports: other rules over old evidence, or two runs of one cluster."""

from collections.abc import Iterator
from dataclasses import dataclass

from assay.model.finding import Finding, Judgement
from assay.model.outcome import Outcome
from assay.model.report import Report


@dataclass(frozen=True, slots=True)
class Change:
    """One check whose answer is not what it was; None where the check did not exist.

    ``appeared`` and ``gone`` are findings with only the nodes for which they are new or over.
    """

    check: str
    before: Outcome | None
    after: Outcome | None
    appeared: tuple[Finding, ...]
    gone: tuple[Finding, ...]


def compare(old: Report, new: Report) -> Iterator[Change]:
    """Every check that answers differently, in order of id."""
    before = {judgement.check: judgement for judgement in old.judgements}
    after = {judgement.check: judgement for judgement in new.judgements}
    for check in sorted(before.keys() | after.keys()):
        was, now = before.get(check), after.get(check)
        appeared = tuple(_fresh(now, was))
        gone = tuple(_fresh(was, now))
        outcome_was = was.outcome if was else None
        outcome_now = now.outcome if now else None
        if outcome_was is not outcome_now or appeared or gone:
            yield Change(check, outcome_was, outcome_now, appeared, gone)


def _fresh(these: Judgement | None, those: Judgement | None) -> Iterator[Finding]:
    """Findings of *these* on nodes where *those* do not say the same."""
    known: dict[tuple[str, str, str, str], set[str]] = {}
    for finding in those.findings if those else ():
        known.setdefault(_key(finding), set()).update(finding.nodes)
    for finding in these.findings if these else ():
        nodes = tuple(n for n in finding.nodes if n not in known.get(_key(finding), ()))
        if nodes:
            yield Finding(
                finding.check,
                finding.outcome,
                finding.severity,
                finding.subject,
                finding.because,
                nodes,
                finding.evidence,
            )


def _key(finding: Finding) -> tuple[str, str, str, str]:
    return finding.outcome, finding.severity, finding.subject, finding.because
