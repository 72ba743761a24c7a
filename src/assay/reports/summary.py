"""A report in numbers: what every renderer counts, sorts and says first."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.model.evidence import Ref
from assay.model.finding import Finding, Judgement
from assay.model.outcome import Outcome, Severity, worst
from assay.model.report import NodeRow, NodeState, Report
from assay.reports.text import SEVERITIES, count, folded


@dataclass(frozen=True, slots=True)
class Counts:
    """How many checks (or nodes) came out how."""

    fail: int = 0
    unknown: int = 0
    passed: int = 0
    not_applicable: int = 0

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> "Counts":
        """Count *outcomes*."""
        tally = dict.fromkeys(Outcome, 0)
        for outcome in outcomes:
            tally[outcome] += 1
        return cls(*(tally[outcome] for outcome in reversed(Outcome)))

    def __getitem__(self, outcome: Outcome) -> int:
        return dict(self.pairs)[outcome]

    @property
    def pairs(self) -> tuple[tuple[Outcome, int], ...]:
        """Worst first."""
        return (
            (Outcome.FAIL, self.fail),
            (Outcome.UNKNOWN, self.unknown),
            (Outcome.PASS, self.passed),
            (Outcome.NOT_APPLICABLE, self.not_applicable),
        )

    @property
    def total(self) -> int:
        """All of them."""
        return self.fail + self.unknown + self.passed + self.not_applicable

    @property
    def applicable(self) -> int:
        """Those whose question arises here."""
        return self.total - self.not_applicable


def area(check: str) -> str:
    """The part of a check's id before the dot, if need be cut to what fits a column."""
    return check.partition(".")[0][:24]


def counts(report: Report) -> Counts:
    """All checks by outcome."""
    return Counts.of(judgement.outcome for judgement in report.judgements)


def by_area(report: Report) -> dict[str, Counts]:
    """Checks by area and outcome, in catalogue order."""
    outcomes: dict[str, list[Outcome]] = defaultdict(list)
    for judgement in report.judgements:
        outcomes[area(judgement.check)].append(judgement.outcome)
    return {name: Counts.of(found) for name, found in outcomes.items()}


def together(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same sentence about several subjects of the same nodes becomes one: ``gpu [0-7]``."""
    alike: dict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for finding in findings:
        alike[finding.outcome, finding.severity, finding.because, finding.nodes].append(finding)
    return tuple(
        replace(
            group[0],
            subject=folded((f.subject for f in group), 80, "subject"),
            evidence=tuple(dict.fromkeys(ref for f in group for ref in f.evidence)),
        )
        if len(group) > 1
        else group[0]
        for group in alike.values()
    )


@dataclass(frozen=True, slots=True)
class Failing:
    """A check that fails somewhere, with what it found; its severity is the worst of those."""

    judgement: Judgement
    findings: tuple[Finding, ...]
    severity: Severity
    nodes: int


def failing(report: Report) -> list[Failing]:
    """Checks that fail, worst first: by severity, then by how many nodes."""
    found = []
    for judgement in report.judgements:
        failures = together(f for f in judgement.findings if f.outcome is Outcome.FAIL)
        if failures:
            severity = max((f.severity for f in failures), key=lambda s: s.rank)
            nodes = len({node for finding in failures for node in finding.nodes})
            found.append(Failing(judgement, failures, severity, nodes))
    return sorted(found, key=lambda f: (-f.severity.rank, -f.nodes, f.judgement.check))


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why something could not be told, and all that it kept from being told."""

    because: str
    checks: tuple[str, ...]
    nodes: tuple[str, ...]
    severity: Severity
    evidence: tuple[Ref, ...]


def reasons(report: Report) -> list[Reason]:
    """Unknowns grouped by their reason, the one that hides most first."""
    checks: dict[str, dict[str, None]] = defaultdict(dict)
    nodes: dict[str, dict[str, None]] = defaultdict(dict)
    severity: dict[str, Severity] = {}
    refs: dict[str, tuple[Ref, ...]] = {}
    for finding in report.findings(Outcome.UNKNOWN):
        key = finding.because
        checks[key][finding.check] = None
        nodes[key].update(dict.fromkeys(finding.nodes))
        refs.setdefault(key, finding.evidence)
        known = severity.get(key, finding.severity)
        severity[key] = max(known, finding.severity, key=lambda s: s.rank)
    found = [Reason(k, tuple(checks[k]), tuple(nodes[k]), severity[k], refs[k]) for k in checks]
    return sorted(found, key=lambda r: (-r.severity.rank, -len(r.checks), -len(r.nodes)))


@dataclass(slots=True)
class NodeSum:
    """What was found on one node."""

    row: NodeRow
    failures: dict[Severity, int]
    unknown: int = 0

    @property
    def outcome(self) -> Outcome:
        """The worst that is known of it; a node that was not wholly read is never a pass."""
        if any(self.failures.values()):
            return Outcome.FAIL
        if self.unknown or self.row.state is not NodeState.READ:
            return Outcome.UNKNOWN
        return Outcome.PASS

    @property
    def severity(self) -> Severity | None:
        """Of its worst failure."""
        return next((s for s in SEVERITIES if self.failures[s]), None)

    @property
    def rank(self) -> tuple[int, ...]:
        """For sorting: many grave failures first, then what is unknown."""
        unread = self.row.state is not NodeState.READ
        return (*(-self.failures[s] for s in SEVERITIES), -int(unread), -self.unknown)

    @property
    def failed(self) -> str:
        """``2 critical, 1 low``."""
        return ", ".join(f"{self.failures[s]} {s}" for s in SEVERITIES if self.failures[s])


def nodes(report: Report) -> list[NodeSum]:
    """Every node of the run, in the run's order."""
    found = {row.name: NodeSum(row, dict.fromkeys(SEVERITIES, 0)) for row in report.nodes}
    for finding in report.findings(Outcome.FAIL, Outcome.UNKNOWN):
        for name in finding.nodes:
            node = found.get(name)
            if node is None:
                continue
            if finding.outcome is Outcome.FAIL:
                node.failures[finding.severity] += 1
            else:
                node.unknown += 1
    return list(found.values())


def worst_first(found: Iterable[NodeSum]) -> list[NodeSum]:
    """Nodes in the order in which somebody should look at them."""
    return sorted(found, key=lambda node: node.rank)


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer in one line."""

    outcome: Outcome
    sentence: str


def headline(report: Report) -> Headline:
    """The worst that is known, said in one sentence. What was not read is never a pass."""
    known = counts(report)
    unread = [row for row in report.nodes if row.state is not NodeState.READ]
    doubt = known.unknown or unread or report.errors or not report.run.complete
    outcome = worst(judgement.outcome for judgement in report.judgements)
    if doubt or not report.nodes:
        outcome = worst([outcome, Outcome.UNKNOWN])
    match outcome:
        case Outcome.FAIL:
            return Headline(outcome, _failures(report, known))
        case Outcome.UNKNOWN:
            return Headline(outcome, _doubts(report, known, unread))
        case Outcome.PASS:
            every = f"All {known.passed:,}" if known.passed > 1 else "The only"
            noun = "checks that apply pass" if known.passed > 1 else "check that applies passes"
            return Headline(outcome, f"{every} {noun}{_everywhere(report)}.")
        case Outcome.NOT_APPLICABLE:
            return Headline(outcome, "No check applies here: nothing was judged.")


def _failures(report: Report, known: Counts) -> str:
    found = failing(report)
    verb = "fails" if known.fail == 1 else "fail"
    said = f"{known.fail:,} of {count(known.applicable, 'check')} {verb}"
    tally = [(sum(f.severity is s for f in found), s) for s in SEVERITIES]
    if len(found) == 1:
        said += f" ({found[0].severity})"
    elif found:
        said += f" ({', '.join(f'{number:,} {s}' for number, s in tally if number)})"
    if len(report.nodes) > 1:
        sick = {node for f in found for finding in f.findings for node in finding.nodes}
        said += f" on {len(sick):,} of {count(len(report.nodes), 'node')}"
    return f"{said}."


def _doubts(report: Report, known: Counts, unread: Sequence[NodeRow]) -> str:
    if not report.nodes:
        return "No node was read: nothing is known."
    said = []
    if known.unknown:
        said.append(f"{known.unknown:,} of {count(known.applicable, 'check')} could not be told")
    if unread:
        verb = "was" if len(unread) == 1 else "were"
        said.append(f"{len(unread):,} of {count(len(report.nodes), 'node')} {verb} not wholly read")
    if not report.run.complete:
        said.append("the run did not come to its end")
    if report.errors:
        said.append(f"Assay itself failed {count(len(report.errors), 'time')}")
    opening = "Nothing fails, but" if known.passed else "Nothing could be judged:"
    return f"{opening} {' and '.join(said)}."


def _everywhere(report: Report) -> str:
    number = len(report.nodes)
    return f" on all {count(number, 'node')}" if number > 1 else ""


@dataclass(frozen=True, slots=True)
class Unread:
    """Nodes that were lost, wholly or in part, for one reason."""

    state: NodeState
    reason: str
    nodes: tuple[str, ...]


def unread(report: Report) -> list[Unread]:
    """Nodes that were not (wholly) read, grouped by reason, the largest group first."""
    alike: dict[tuple[NodeState, str], list[str]] = defaultdict(list)
    for row in report.nodes:
        if row.state is not NodeState.READ:
            reason = row.reason or "no reason was given"
            if row.scheduler:
                reason += f" (the scheduler says {row.scheduler})"
            alike[row.state, reason].append(row.name)
    found = [Unread(state, reason, tuple(names)) for (state, reason), names in alike.items()]
    return sorted(found, key=lambda group: -len(group.nodes))


def share(values: Sequence[int], cells: int) -> list[int]:
    """Split *cells* in proportion to *values*; what is there at all gets at least one cell."""
    total = sum(values)
    if not total or cells < sum(map(bool, values)):
        return [0] * len(values)
    given = [max(1, value * cells // total) if value else 0 for value in values]
    while sum(given) != cells:
        step = 1 if sum(given) < cells else -1
        able = [at for at, cell in enumerate(given) if cell > 1 or (step > 0 and values[at])]
        gap = [values[at] * cells / total - given[at] for at in able]
        given[able[gap.index(max(gap) if step > 0 else min(gap))]] += step
    return given
