"""The report on a terminal: the answer first, then a picture, then what to do, worst first.

Everything is built from rich ``Text``, never from its markup: what a node said is never read as
a style. rich itself leaves colour out when nobody looks (a pipe, NO_COLOR, TERM=dumb).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from assay.model.finding import Finding
from assay.model.outcome import Outcome
from assay.model.report import NodeState, Report
from assay.reports import summary, text
from assay.reports.picture import NARROW, SEVERITY_STYLE, STYLE, WIDEST, Picture
from assay.reports.summary import Failing
from assay.reports.text import Checks, Excerpts, advice, among, command_for, count, folded, quotes

MOST_FINDINGS = 5  # of one check, without --verbose
MOST_REASONS = 12
MOST_WHOLE = 12  # checks told with all their advice; then only what was seen, and the fix


class Screen:
    """*report* as something that rich prints; ``verbose`` shows all of it."""

    def __init__(
        self,
        report: Report,
        checks: Checks,
        excerpts: Excerpts = text.no_excerpts,
        *,
        verbose: bool = False,
    ) -> None:
        self._report = text.legible(report)
        self._checks = checks
        self._excerpts = excerpts
        self._verbose = verbose

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        plain = options.ascii_only
        narrowed = options.update_width(min(options.max_width, WIDEST))
        page = _Page(
            self._report, self._checks, self._excerpts, self._verbose, plain, narrowed.max_width
        )
        yield from _unpadded(console.render(Group(*page.parts()), narrowed))


class _Page:
    def __init__(
        self,
        report: Report,
        checks: Checks,
        excerpts: Excerpts,
        verbose: bool,
        plain: bool,
        width: int,
    ) -> None:
        self.report = report
        self.checks = checks
        self.excerpts = excerpts
        self.verbose = verbose
        self.width = width
        self.plain = plain
        self.glyph = text.ASCII_GLYPH if plain else text.GLYPH
        self.headline = summary.headline(report)
        self.counts = summary.counts(report)
        self.failing = summary.failing(report)

    def parts(self) -> Iterator[RenderableType]:
        yield self._answer()
        yield ""
        yield from Picture(self.report, plain=self.plain, width=self.width).parts()
        yield from self._failures()
        yield from self._unknowns()
        yield from self._passes()
        yield from self._not_looked_at()
        yield from self._errors()
        yield from self._about()

    def _mark(self, outcome: Outcome) -> Text:
        return Text(f"{self.glyph[outcome]} {text.WORD[outcome]}", STYLE[outcome])

    def _title(self, outcome: Outcome | None, words: str) -> Iterator[RenderableType]:
        title = Text(
            f"{self.glyph[outcome]} " if outcome else "", STYLE[outcome] if outcome else ""
        )
        title.append(words, "bold")
        yield ""
        yield Rule(title, align="left", style="dim", characters="-" if self.plain else "─")

    def _answer(self) -> Text:
        said = self._mark(self.headline.outcome)
        said.append(f"  {self.report.run.target}: ", "bold")
        return said.append(self.headline.sentence)

    # Failures, with all that somebody needs to argue with them and to put them right.

    def _failures(self) -> Iterator[RenderableType]:
        if not self.failing:
            return
        words = f"{count(len(self.failing), 'check')} fail{'s' * (len(self.failing) == 1)}"
        yield from self._title(Outcome.FAIL, f"{words}, worst first")
        for at, failing in enumerate(self.failing):
            whole = self.verbose or at < MOST_WHOLE
            if at == MOST_WHOLE and not whole:
                yield ""
                yield Text("In short from here on; --verbose tells all of it.", "dim")
            yield ""
            yield from self._failure(failing, whole)

    def _failure(self, failing: Failing, whole: bool) -> Iterator[RenderableType]:
        judgement = failing.judgement
        head = self._mark(Outcome.FAIL)
        head.append(f"  {failing.severity}", SEVERITY_STYLE[failing.severity])
        head.append(f"  {judgement.check}", "bold")
        if len(failing.findings) > 1 and len(self.report.nodes) > 1:
            head.append(f"  on {failing.nodes:,} of {count(len(self.report.nodes), 'node')}", "dim")
        yield head
        yield Padding(Text(judgement.asks), (0, 0, 0, 2))
        rows: list[tuple[str, Text]] = []
        most = len(failing.findings) if self.verbose else MOST_FINDINGS if whole else 2
        for finding in failing.findings[:most]:
            rows += self._seen(finding, failing)
        if len(failing.findings) > most:
            left = len(failing.findings) - most
            rows.append(("", Text(f"… and {left:,} more (--verbose shows them)", "dim")))
        known = advice(judgement.check, self.checks)
        rows += [("why", Text(known.why))] if whole else []
        rows += [("fix", Text(known.fix))] if known.fix else []
        if whole:
            rows += [("reproduce", Text(known.reproduce, "bold"))] if known.reproduce else []
            rows += [("see" if not at else "", Text(url)) for at, url in enumerate(known.see)]
            rows += self._evidence(failing.findings[:most])
        yield self._grid(rows)

    def _seen(self, finding: Finding, failing: Failing) -> Iterator[tuple[str, Text]]:
        seen = Text(f"{finding.subject}: ", "bold").append(finding.because, "not bold")
        if finding.severity is not failing.severity:
            seen.append(f" ({finding.severity})", SEVERITY_STYLE[finding.severity])
        yield ("seen" if finding is failing.findings[0] else "", seen)
        if where := among(finding.nodes, len(self.report.nodes)):
            yield "", Text(f"on {where}: ", "dim").append(folded(finding.nodes), "not dim")

    def _evidence(self, findings: Sequence[Finding]) -> Iterator[tuple[str, Text]]:
        ranks = zip_longest(*(finding.evidence for finding in findings))
        refs = [ref for rank in ranks for ref in rank if ref]  # the first of each finding first
        most = 12 if self.verbose else 3
        for at, quote in enumerate(quotes(refs, self.excerpts, most)):
            said = Text(f"{quote.command}  ").append(quote.source, "dim")
            if len(self.report.nodes) > 1:
                said.append(f" on {quote.node}", "dim")
            yield ("evidence" if not at else "", said)
            if self.verbose and quote.excerpt:
                yield "", Text(quote.excerpt, "dim")

    def _grid(self, rows: Sequence[tuple[str, Text]]) -> RenderableType:
        if self.width < NARROW:
            flat: list[RenderableType] = []
            for label, words in rows:
                flat += [Text(label, "dim")] * bool(label) + [words]
            return Padding(Group(*flat), (0, 0, 0, 2))
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(style="dim", no_wrap=True, min_width=9)
        table.add_column(overflow="fold", ratio=1)
        for label, words in rows:
            table.add_row(label, words)
        return Padding(table, (0, 0, 0, 2))

    # What is not known, what is fine, what was not asked.

    def _unknowns(self) -> Iterator[RenderableType]:
        found = summary.reasons(self.report)
        if not found:
            return
        hidden = len({check for reason in found for check in reason.checks})
        yield from self._title(
            Outcome.UNKNOWN, f"{count(hidden, 'check')} could not wholly be told, by reason"
        )
        yield ""
        most = len(found) if self.verbose else MOST_REASONS
        for reason in found[:most]:
            said = Text(f"{self.glyph[Outcome.UNKNOWN]} ", STYLE[Outcome.UNKNOWN])
            said.append(reason.because)
            if where := among(reason.nodes, len(self.report.nodes)):
                said.append(f"  on {where}: {folded(reason.nodes, 80)}", "dim")
            yield said
            names = reason.checks if self.verbose else reason.checks[:4]
            told = ", ".join(names)
            if len(names) < len(reason.checks):
                told += f" and {len(reason.checks) - len(names)} more"
            yield Padding(
                Text(f"{count(len(reason.checks), 'check')}: {told}", "dim"), (0, 0, 0, 2)
            )
        if len(found) > most:
            yield Text(f"  and {count(len(found) - most, 'more reason')} (--verbose)", "dim")

    def _passes(self) -> Iterator[RenderableType]:
        if not self.counts.passed:
            return
        passed = self.counts.passed
        yield from self._title(Outcome.PASS, f"{count(passed, 'check')} pass{'es' * (passed == 1)}")
        yield ""
        if not self.verbose:
            areas = summary.by_area(self.report)
            said = [f"{area} {found.passed}" for area, found in areas.items() if found.passed]
            yield Padding(Text("   ".join(said)), (0, 0, 0, 2))
            return
        of = len(self.report.nodes)
        for judgement in self.report.judgements:
            if judgement.outcome is Outcome.PASS:
                said_of = Text(f"{self.glyph[Outcome.PASS]} ", STYLE[Outcome.PASS])
                said_of.append(f"{judgement.check}  ", "bold").append(judgement.example)
                if of > 1:
                    said_of.append(f"  {min(judgement.nodes, of):,} of {of:,} nodes", "dim")
                yield said_of

    def _not_looked_at(self) -> Iterator[RenderableType]:
        yield from self._title(None, "Not looked at")
        yield ""
        rows: list[RenderableType] = []
        for group in summary.unread(self.report):
            how = "not read" if group.state is NodeState.UNREAD else "read in part"
            said = Text(f"{count(len(group.nodes), 'node')} {how}: ")
            rows.append(said.append(f"{folded(group.nodes)}: {group.reason}"))
        if not self.report.run.complete:
            rows.append(Text("The run did not come to its end: what it had not read is unknown."))
        areas = summary.by_area(self.report)
        absent = [f"{area} {n.not_applicable}" for area, n in areas.items() if n.not_applicable]
        if absent:
            number = self.counts.not_applicable
            verb = "does" if number == 1 else "do"
            said = Text(f"{count(number, 'check')} {verb} not apply here: ")
            rows.append(said.append(", ".join(absent)))
        rows.append(Text(text.READ_ONLY))
        for row in rows:
            yield Padding(row, (0, 0, 0, 2))

    def _errors(self) -> Iterator[RenderableType]:
        errors = self.report.errors
        if not errors:
            return
        yield from self._title(None, f"Assay itself failed {count(len(errors), 'time')}")
        yield ""
        for error in errors if self.verbose else errors[:MOST_FINDINGS]:
            on = f" on {error.node}" if error.node else ""
            yield Text(f"! {error.where}{on}: {error.message}", "magenta")
            if self.verbose:
                yield Padding(Text(error.traceback, "dim"), (0, 0, 0, 2))
        yield Text("  This is our bug, not the cluster's: please report it.", "dim")

    def _about(self) -> Iterator[RenderableType]:
        run = self.report.run
        yield ""
        yield Rule(style="dim", characters="-" if self.plain else "─")
        said = [f"run {run.id}", run.started, text.duration(run.seconds)]
        said += [f"assay {run.tool_version}", f"rules {run.rules_sha256[:12]}"]
        said += [f"advisories {run.advisories_sha256[:12]}"] if run.advisories_sha256 else []
        said += ["holds identifying values: share with care"] if run.identifying else []
        yield Text("  ".join(said), "dim")
        yield self._answer()
        if self.failing and (more := command_for(self.failing[0].judgement.check)):
            yield Text(f"Next: {more}", "dim")


def _unpadded(segments: Iterable[Segment]) -> Iterator[Segment]:
    """The same without blanks at the ends of lines: they only get in the way of copying."""
    for row in Segment.split_lines(segments):
        while row and not row[-1].control and not row[-1].text.strip():
            row.pop()
        if row and not row[-1].control:
            row[-1] = Segment(row[-1].text.rstrip(), row[-1].style)
        yield from row
        yield Segment.line()
