"""From facts to judgements: every check over every node, equal facts only once."""

import traceback
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.engine.understand import Understanding, Understood
from assay.kit.check import Check
from assay.model.evidence import Ref
from assay.model.fact import Fact, Fleet, Group
from assay.model.finding import HOST, Finding, Judgement, Verdict, unknown
from assay.model.outcome import Outcome, Severity, worst
from assay.model.report import ErrorRecord

MOST_REFS = 16  # captures quoted by one finding: the first nodes of those that answered alike


@dataclass(frozen=True, slots=True)
class _Known:
    """The facts of one kind on one node: what was read, from where, and what was not."""

    facts: tuple[Fact, ...]
    refs: tuple[tuple[str, str], ...]  # source, sha256
    unread: tuple[str, ...]
    asked: bool  # this run tried to read it on this node
    read: bool  # at least one probe of this kind gave its whole answer
    comparable: bool  # enough was read to compare this node with others


def _known(everything: Sequence[Understood], kind: type[Fact]) -> _Known:
    results = [r for r in everything if r.asked]
    used = [r for r in results if kind.whole or r.facts or r.unread]
    read = any(not r.unread or r.facts for r in results)
    return _Known(
        facts=tuple(fact for r in results for fact in r.facts),
        refs=tuple(dict.fromkeys((ref.source, ref.sha256) for r in used for ref in r.refs)),
        unread=tuple(dict.fromkeys(r.unread for r in results if r.unread)),
        asked=bool(results),
        read=read,
        comparable=read and not (kind.whole and any(r.unread for r in results)),
    )


class Facts:
    """Facts by node and kind; nodes that know the same share one answer number."""

    def __init__(self, understanding: Understanding) -> None:
        self._understanding = understanding
        self._probes_of: dict[type[Fact], list[int]] = {}
        self._numbers: dict[type[Fact], dict[tuple[int, ...], int]] = defaultdict(dict)
        self._equal: dict[type[Fact], dict[_Known, int]] = defaultdict(dict)
        self._answers: dict[type[Fact], list[_Known]] = defaultdict(list)
        crowds: dict[tuple[int, ...], list[str]] = defaultdict(list)
        for node, results in understanding.nodes.items():
            crowds[results].append(node)
        self.crowds = list(crowds.values())  # nodes that answered alike in everything

    @property
    def nodes(self) -> Iterable[str]:
        """Every node, in the order of reading."""
        return self._understanding.nodes

    def number(self, node: str, kind: type[Fact]) -> int:
        """Which distinct answer *node* gave about *kind*."""
        everything = self._understanding.nodes[node]
        key = tuple(everything[at] for at in self._positions(kind, everything))
        number = self._numbers[kind].get(key)
        if number is None:
            known = _known(self._understanding.of_kind(node, kind), kind)
            number = self._equal[kind].get(known)
            if number is None:
                number = self._equal[kind][known] = len(self._answers[kind])
                self._answers[kind].append(known)
            self._numbers[kind][key] = number
        return number

    def answer(self, kind: type[Fact], number: int) -> _Known:
        """The distinct answer called *number*."""
        return self._answers[kind][number]

    def fleet(self, kind: type[Fact]) -> Fleet[Fact]:
        """*kind* over all nodes where it could be read, as groups of equal facts."""
        groups: dict[tuple[Fact, ...], list[str]] = defaultdict(list)
        for crowd in self.crowds:
            known = self.answer(kind, self.number(crowd[0], kind))
            if known.comparable:
                groups[known.facts].extend(crowd)
        return Fleet([Group(tuple(nodes), facts) for facts, nodes in groups.items()])

    def _positions(self, kind: type[Fact], everything: tuple[int, ...]) -> list[int]:
        found = self._probes_of.get(kind)
        if found is None:
            results = self._understanding.results
            found = [at for at, n in enumerate(everything) if kind in results[n].probe.gives]
            self._probes_of[kind] = found
        return found


@dataclass(slots=True)
class _Tally:
    """Verdicts of one check as they come in, equal ones of many nodes together."""

    nodes: set[str] = field(default_factory=set)
    passed: int = 0
    failed: int = 0
    unknown: int = 0
    not_applicable: int = 0
    example: str = ""
    evidence: tuple[Ref, ...] = ()
    found: dict[tuple[Outcome, Severity, str, str], tuple[list[str], list[Ref]]] = field(
        default_factory=dict
    )


def judge(checks: Sequence[Check], facts: Facts) -> tuple[list[Judgement], list[ErrorRecord]]:
    """Every check over every node. Pure: the same facts give the same judgements."""
    errors: list[ErrorRecord] = []
    return [_judge(check, facts, errors) for check in checks], errors


def _judge(check: Check, facts: Facts, errors: list[ErrorRecord]) -> Judgement:
    tally = _Tally()
    rows = _fleet_rows if check.fleet else _node_rows
    for nodes, verdicts, refs in rows(check, facts, errors):
        _count(tally, check, nodes, verdicts, refs)
    findings = sorted(
        (
            Finding(check.id, outcome, severity, subject, because, tuple(nodes), tuple(refs))
            for (outcome, severity, subject, because), (nodes, refs) in tally.found.items()
        ),
        key=lambda f: (-f.outcome.rank, -f.severity.rank, -len(f.nodes), f.subject, f.because),
    )
    outcomes = [f.outcome for f in findings]
    if tally.passed:
        outcomes.append(Outcome.PASS)
    return Judgement(
        check=check.id,
        asks=check.asks,
        severity=check.severity,
        outcome=worst(outcomes),
        nodes=len(tally.nodes),
        passed=tally.passed,
        failed=tally.failed,
        unknown=tally.unknown,
        not_applicable=tally.not_applicable,
        example=tally.example,
        evidence=tally.evidence,
        findings=tuple(findings),
    )


_Row = tuple[Sequence[str], Sequence[Verdict], Sequence[Ref]]


def _node_rows(check: Check, facts: Facts, errors: list[ErrorRecord]) -> Iterator[_Row]:
    """Judge each distinct combination of answers once, for all nodes that gave it."""
    alike: dict[tuple[int, ...], list[str]] = defaultdict(list)
    kinds = [need.kind for need in check.needs.values()]
    for crowd in facts.crowds:
        alike[tuple(facts.number(crowd[0], kind) for kind in kinds)].extend(crowd)
    for numbers, nodes in alike.items():
        known = [facts.answer(kind, number) for kind, number in zip(kinds, numbers, strict=True)]
        verdicts = _ask(check, known, errors, nodes[0])
        sources = dict.fromkeys(ref for answer in known for ref in answer.refs)
        yield nodes, verdicts, [Ref(nodes[0], source, sha) for source, sha in sources]


def _ask(
    check: Check, known: Sequence[_Known], errors: list[ErrorRecord], node: str
) -> list[Verdict]:
    given: dict[str, object] = {}
    missing: list[str] = []  # kinds that the check cannot do without, and nobody could read
    partly: list[str] = []  # reasons why some of it is missing
    lenient: list[str] = []
    for (name, need), answer in zip(check.needs.items(), known, strict=True):
        if not answer.read and need.optional:
            given[name] = None
            continue
        if not answer.asked and not need.optional:
            return []
        given[name] = answer.facts
        if not answer.read:
            missing += answer.unread or [f"nothing reads {need.kind.__name__}"]
        elif not need.optional:
            (partly if need.kind.whole else lenient).extend(answer.unread)
    if missing:
        return [unknown(HOST, reason) for reason in dict.fromkeys(missing)]
    verdicts, failure = _call(check, given, node)
    if failure is not None:
        errors.append(failure)
    if not verdicts:
        partly += lenient
    told = {verdict.because for verdict in verdicts}
    return verdicts + [unknown(HOST, why) for why in dict.fromkeys(partly) if why not in told]


def _call(
    check: Check, given: dict[str, object], node: str
) -> tuple[list[Verdict], ErrorRecord | None]:
    try:
        return list(check.judge(**given)), None
    except Exception as bug:
        record = ErrorRecord(f"check {check.id}", str(bug), traceback.format_exc(), node)
        because = f"a bug in Assay kept this from being judged ({type(bug).__name__})"
        return [unknown(HOST, because)], record


def _fleet_rows(check: Check, facts: Facts, errors: list[ErrorRecord]) -> Iterator[_Row]:
    """Judge all nodes at once; nodes that could not be read are unknown rows of their own."""
    given: dict[str, object] = {}
    silent: dict[str, list[str]] = defaultdict(list)
    sources: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, need in check.needs.items():
        given[name] = facts.fleet(need.kind)
        for crowd in facts.crowds:
            answer = facts.answer(need.kind, facts.number(crowd[0], need.kind))
            for node in crowd:
                sources[node].extend(answer.refs)
            if answer.asked and not answer.comparable and not need.optional:
                for reason in answer.unread or (f"nothing reads {need.kind.__name__}",):
                    silent[reason].extend(crowd)

    def refs(nodes: Sequence[str]) -> list[Ref]:
        return [Ref(node, source, sha) for node in nodes[:4] for source, sha in sources[node]]

    verdicts, failure = _call(check, given, "")
    if failure is not None:
        errors.append(failure)
    lost = {node for nodes in silent.values() for node in nodes}
    read = [node for node in facts.nodes if node not in lost]
    if not verdicts and read:
        yield read, [], []
    for verdict in verdicts:
        nodes = verdict.nodes or tuple(read)
        yield nodes, [replace(verdict, nodes=())], refs(nodes)
    for reason, where in silent.items():
        yield where, [unknown(HOST, reason)], refs(where)


def _count(
    tally: _Tally,
    check: Check,
    nodes: Sequence[str],
    verdicts: Sequence[Verdict],
    refs: Sequence[Ref],
) -> None:
    number = len(nodes)
    tally.nodes.update(nodes)
    if all(verdict.outcome is Outcome.NOT_APPLICABLE for verdict in verdicts):
        tally.not_applicable += number
        return
    for verdict in verdicts:
        match verdict.outcome:
            case Outcome.NOT_APPLICABLE:
                continue
            case Outcome.PASS:
                tally.passed += number
                if not tally.example:
                    tally.example = f"{verdict.subject}: {verdict.because}"
                    tally.evidence = tuple(refs[:MOST_REFS])
                continue
            case Outcome.FAIL:
                tally.failed += number
            case Outcome.UNKNOWN:
                tally.unknown += number
        severity = verdict.severity or check.severity
        key = (verdict.outcome, severity, verdict.subject, verdict.because)
        where, quoted = tally.found.setdefault(key, ([], []))
        where.extend(nodes)
        quoted.extend(refs[: max(0, MOST_REFS - len(quoted))])
