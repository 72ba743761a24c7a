"""The closed algebra of outcomes, and how bad a failure would be."""

from collections.abc import Iterable
from enum import StrEnum


class Outcome(StrEnum):
    """Ordered from harmless to grave; the worst one wins. There is no other word."""

    NOT_APPLICABLE = "not-applicable"
    PASS = "pass"
    UNKNOWN = "unknown"
    FAIL = "fail"

    @property
    def rank(self) -> int:
        """Position in the lattice: 0 for not applicable, 3 for fail."""
        return _OUTCOME_RANK[self]


class Severity(StrEnum):
    """How bad a check is IF it fails, from a remark to an emergency."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """Position in the order: 0 for info, 4 for critical."""
        return _SEVERITY_RANK[self]


_OUTCOME_RANK = {outcome: rank for rank, outcome in enumerate(Outcome)}
_SEVERITY_RANK = {severity: rank for rank, severity in enumerate(Severity)}


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The gravest outcome; nothing at all is not applicable.

    >>> worst([Outcome.PASS, Outcome.UNKNOWN])
    <Outcome.UNKNOWN: 'unknown'>
    """
    return max(outcomes, key=lambda o: o.rank, default=Outcome.NOT_APPLICABLE)
