"""The picture at the top of the terminal's report: checks by area, nodes one by one.

Each outcome has a glyph, a texture and a word; colour only repeats what they say.
"""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.model.outcome import Outcome, Severity
from assay.model.report import Report
from assay.reports import summary, text
from assay.reports.summary import Counts, NodeSum
from assay.reports.text import count, line

WIDEST = 100
NARROW = 60  # below this, bars go and labels stand above their text
CELLS = 32  # of the longest bar
STYLE = {
    Outcome.FAIL: "bold red",
    Outcome.UNKNOWN: "yellow",
    Outcome.PASS: "green",
    Outcome.NOT_APPLICABLE: "dim",
}
SEVERITY_STYLE = {
    Severity.CRITICAL: "bold red",
    Severity.HIGH: "red",
    Severity.MEDIUM: "yellow",
    Severity.LOW: "cyan",
    Severity.INFO: "dim",
}
MOST_WORST = 5  # nodes named
MOST_STRIP = 512  # nodes drawn one by one

_BAR = dict(zip(text.WORST_FIRST, "█▒━·", strict=True))
_ASCII_BAR = dict(zip(text.WORST_FIRST, "#?=.", strict=True))
_LETTER = dict(zip(text.SEVERITIES, "CHMLi", strict=True))  # a node's worst failure


class Picture:
    """How much of it came out how. ``plain`` where the terminal knows ASCII only."""

    def __init__(self, report: Report, *, plain: bool, width: int) -> None:
        self._report = report
        self._plain = plain
        self._wide = width >= NARROW
        self._bars = _ASCII_BAR if plain else _BAR
        self._none = "-" if plain else "·"
        self._glyph = text.ASCII_GLYPH if plain else text.GLYPH

    def parts(self) -> Iterator[RenderableType]:
        """Checks in all, by area, and the nodes where there are several."""
        tally = Text("  ")
        for outcome, number in summary.counts(self._report).pairs:
            tally.append(f"{self._glyph[outcome]} {number:,} ", STYLE[outcome] if number else "dim")
            tally.append(f"{word(outcome)}   ", "" if number else "dim")
        yield tally
        areas = summary.by_area(self._report)
        if areas:
            yield ""
            yield self._table(areas)
        if len(self._report.nodes) > 1:
            yield from self._nodes(summary.nodes(self._report))

    def _table(self, areas: dict[str, Counts]) -> Table:
        table = Table(box=None, padding=(0, 1), pad_edge=False, header_style="dim", show_edge=False)
        table.add_column("  area", overflow="fold")
        for heading in ("fail", "unknown", "pass", "n/a"):
            table.add_column(heading, justify="right")
        if self._wide:
            table.add_column(self._legend())
        most = max(found.total for found in areas.values())
        for area, found in areas.items():
            row = [Text(f"  {line(area, 24)}")]
            row += [
                Text(f"{number:,}", STYLE[outcome]) if number else Text(self._none, "dim")
                for outcome, number in found.pairs
            ]
            table.add_row(*row, *([self._bar(found, most)] if self._wide else []))
        return table

    def _legend(self) -> Text:
        words = [f"{self._bars[outcome]} {word(outcome)}" for outcome in text.WORST_FIRST]
        return Text("  ".join(words), "dim")

    def _bar(self, found: Counts, most: int) -> Text:
        cells = max(4, round(found.total * CELLS / most))
        split = summary.share([number for _, number in found.pairs], cells)
        drawn = Text()
        for outcome, cell in zip(text.WORST_FIRST, split, strict=True):
            drawn.append(self._bars[outcome] * cell, STYLE[outcome].removeprefix("bold "))
        return drawn

    def _nodes(self, found: list[NodeSum]) -> Iterator[RenderableType]:
        tally = Counts.of(node.outcome for node in found)
        said = Text(f"  {count(len(found), 'node')}  ")
        for outcome, number in tally.pairs[:3]:
            if number:
                said.append(f" {self._glyph[outcome]} {number:,} ", STYLE[outcome])
                said.append(f"{word(outcome)}  ")
        yield ""
        yield said
        drawn = self._strip(found) if len(found) <= MOST_STRIP else self._bar(tally, tally.total)
        yield Padding(drawn, (0, 0, 0, 4))
        sick = [node for node in summary.worst_first(found) if node.outcome is Outcome.FAIL]
        if sick:
            named = [f"{node.row.name} ({node.failed})" for node in sick[:MOST_WORST]]
            worst = Text("worst: ", "dim").append("; ".join(named), "not dim")
            if len(sick) > MOST_WORST:
                worst.append(f"; and {len(sick) - MOST_WORST:,} more")
            yield Padding(worst, (0, 0, 0, 4))

    def _strip(self, found: list[NodeSum]) -> Text:
        """One letter a node, in the run's order: neighbours in a rack are neighbours here."""
        drawn = Text()
        used: dict[str, str] = {}
        for node in found:
            severity = node.severity
            if severity:
                letter, style, meaning = _LETTER[severity], SEVERITY_STYLE[severity], str(severity)
            elif node.outcome is Outcome.UNKNOWN:
                letter, style, meaning = "?", STYLE[Outcome.UNKNOWN], "unknown"
            else:
                letter, style, meaning = self._none, STYLE[Outcome.PASS], "pass"
            drawn.append(letter, style)
            used[letter] = meaning
        order = [*_LETTER.values(), "?", self._none]
        key = "  ".join(f"{letter} {used[letter]}" for letter in order if letter in used)
        return drawn.append(f"\n{key}", "dim")


def word(outcome: Outcome) -> str:
    """An outcome's word in running text."""
    return text.WORD[outcome].lower()
