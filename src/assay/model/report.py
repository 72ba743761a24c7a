"""A run and its report: everything a reader or a program needs to argue with a verdict."""

from dataclasses import dataclass
from enum import StrEnum

from assay.model.finding import Finding, Judgement
from assay.model.outcome import Outcome

SCHEMA = "assay.report/1"


class NodeState(StrEnum):
    """How far the reading of a node went."""

    READ = "read"
    PARTIAL = "partial"  # some readings were lost with the node; the rest counts
    UNREAD = "unread"  # busy, down, hung or refused: see the reason


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node of the run. ``scheduler`` is the scheduler's own word for its state, if any.

    A ``head`` answered for the cluster as a whole, and was asked nothing about itself.
    """

    name: str
    state: NodeState
    reason: str = ""
    scheduler: str = ""
    head: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Who judged what, when, by which rules. Times are aware UTC in ISO 8601, durations seconds."""

    id: str
    started: str
    seconds: float
    target: str
    tool_version: str
    rules_sha256: str
    advisories_sha256: str
    complete: bool
    identifying: bool = False


@dataclass(frozen=True, slots=True)
class ErrorRecord:
    """Our own bug: where it happened, on what, and the traceback. Never a verdict."""

    where: str
    message: str
    traceback: str
    node: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The whole answer. Judgements are in catalogue order; renderers choose their own."""

    run: Run
    nodes: tuple[NodeRow, ...]
    judgements: tuple[Judgement, ...]
    errors: tuple[ErrorRecord, ...] = ()
    schema: str = SCHEMA

    def findings(self, *outcomes: Outcome) -> list[Finding]:
        """Findings with one of *outcomes* (all of them by default), gravest first."""
        wanted = outcomes or tuple(Outcome)
        found = [f for j in self.judgements for f in j.findings if f.outcome in wanted]
        return sorted(
            found,
            key=lambda f: (-f.outcome.rank, -f.severity.rank, -len(f.nodes), f.check, f.subject),
        )
