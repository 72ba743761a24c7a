"""Verdicts and findings: what a check concluded, about what, seen where."""

from dataclasses import dataclass

from assay.model.evidence import Ref
from assay.model.outcome import Outcome, Severity

HOST = "host"  # the subject of a verdict about a node as a whole


@dataclass(frozen=True, slots=True)
class Verdict:
    """One sentence of a check about one subject of one node ("gpu 3", "mlx5_0/1", "host").

    ``because`` says what was seen, what was expected and where. ``severity`` is only given where
    this failure is less grave than the check's own severity. ``nodes`` is only given by checks
    over a fleet, which judge many nodes at once.
    """

    outcome: Outcome
    subject: str
    because: str
    severity: Severity | None = None
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure or an unknown: the same sentence, on all the nodes where it is true."""

    check: str
    outcome: Outcome
    severity: Severity
    subject: str
    because: str
    nodes: tuple[str, ...]
    evidence: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """All that one check has to say about a run.

    ``nodes`` is how many nodes it looked at. Passing verdicts are counted and one is quoted;
    failures and unknowns are ``findings``, worst first.
    """

    check: str
    asks: str
    severity: Severity
    outcome: Outcome
    nodes: int
    passed: int
    failed: int
    unknown: int
    not_applicable: int
    example: str
    evidence: tuple[Ref, ...]
    findings: tuple[Finding, ...]


def passed(subject: object, because: str) -> Verdict:
    """A positive observation: name what was seen."""
    return Verdict(Outcome.PASS, str(subject), because)


def failed(subject: object, because: str, *, severity: Severity | None = None) -> Verdict:
    """A fault of the cluster: what was seen, what was expected."""
    return Verdict(Outcome.FAIL, str(subject), because, severity)


def unknown(subject: object, because: str) -> Verdict:
    """It could not be told, and why."""
    return Verdict(Outcome.UNKNOWN, str(subject), because)


def not_applicable(subject: object, because: str) -> Verdict:
    """Looked, and the question does not arise here."""
    return Verdict(Outcome.NOT_APPLICABLE, str(subject), because)
