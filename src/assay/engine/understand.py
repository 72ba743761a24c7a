"""From evidence to facts: every probe over every node, equal evidence only once."""

import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.kit.probe import Probe
from assay.kit.seen import NotAsked, Seen, Unread
from assay.model.evidence import Capture, Evidence, Ref
from assay.model.fact import Fact
from assay.model.report import ErrorRecord


@dataclass(frozen=True, slots=True)
class Understood:
    """What one probe made of one node's evidence.

    ``unread`` is the reason why it gave nothing, or not all; the facts that it gave before that
    still count. ``refs`` are the captures it looked at.
    """

    probe: Probe
    facts: tuple[Fact, ...]
    refs: tuple[Ref, ...]
    unread: str = ""
    error: ErrorRecord | None = None

    @property
    def asked(self) -> bool:
        """False when this run never tried to read any of it: an output that only users save, or
        a question that is put to the cluster and not to this node."""
        return bool(self.refs or self.facts or self.unread)


def understand(probe: Probe, evidence: Evidence) -> Understood:
    """Run one parser. Whatever the evidence holds, this returns."""
    seen = Seen(evidence)
    facts: list[Fact] = []
    unread, error = "", None
    try:
        for fact in probe.parse(seen):
            _declared(probe, fact)
            facts.append(fact)
    except NotAsked as reason:
        unread = str(reason) if facts or seen.used else ""
    except Unread as reason:
        unread = str(reason)
    except RecursionError:
        unread = "nested too deeply to be a real answer"
    except Exception as bug:
        unread = f"a bug in Assay kept it from being understood ({type(bug).__name__})"
        error = ErrorRecord(f"probe {probe.id}", str(bug), traceback.format_exc(), evidence.node)
    if evidence.head and not seen.used:  # a sentence made of questions that were not put to it
        unread = ""
    return Understood(probe, tuple(facts), seen.used, unread or seen.lost, error)


def _declared(probe: Probe, fact: object) -> None:
    if not isinstance(fact, probe.gives):
        raise TypeError(f"{probe.id} gave a {type(fact).__name__}, which it did not declare")


class Understanding:
    """The facts of many nodes. Cost grows with the number of distinct answers, not of nodes."""

    def __init__(self, probes: Sequence[Probe]) -> None:
        self._probes = probes
        self._memo: dict[tuple[object, ...], int] = {}
        self._whole: dict[tuple[object, ...], tuple[int, ...]] = {}  # equal nodes, at a glance
        self.results: list[Understood] = []  # distinct results, by number
        self.nodes: dict[str, tuple[int, ...]] = {}  # node -> one result number for each probe

    @property
    def errors(self) -> list[ErrorRecord]:
        """Bugs of ours met so far, each once."""
        return [r.error for r in self.results if r.error is not None]

    def add(self, evidence: Evidence) -> None:
        """Understand one node."""
        key = (evidence.head, *(capture.identity for capture in evidence.captures.values()))
        found = self._whole.get(key)
        if found is None:
            found = self._whole[key] = tuple(self._result(p, evidence) for p in self._probes)
        self.nodes[evidence.node] = found

    def _result(self, probe: Probe, evidence: Evidence) -> int:
        captures = [evidence.captures.get(reading.source) for reading in probe.reads]
        key = (probe.id, evidence.head, *(_identity(capture) for capture in captures))
        number = self._memo.get(key)
        if number is None:
            number = self._memo[key] = len(self.results)
            self.results.append(understand(probe, evidence))
        return number

    def of_kind(self, node: str, kind: type[Fact]) -> list[Understood]:
        """What every probe that gives *kind* made of *node*, cut down to that kind."""
        found = (self.results[number] for number in self.nodes[node])
        return [
            replace(result, facts=tuple(f for f in result.facts if isinstance(f, kind)))
            for result in found
            if kind in result.probe.gives
        ]


def _identity(capture: Capture | None) -> object:
    return None if capture is None else capture.identity
