"""``assay explain CHECK``: what a check asks, why it matters, how to fix it, and its proof."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.kit.check import Check
from assay.kit.plant import Edit
from assay.kit.reading import Reading
from assay.model.evidence import Status
from assay.reports.picture import SEVERITY_STYLE, WIDEST
from assay.reports.text import NAME, advice, count, line


class Explanation:
    """One check on a terminal; *readings* are what gives it its facts, if the caller knows."""

    def __init__(self, check: Check, readings: Sequence[Reading] = ()) -> None:
        self._check = check
        self._readings = readings

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        narrowed = options.update_width(min(options.max_width, WIDEST))
        yield from console.render(Group(*self._parts()), narrowed)

    def _parts(self) -> Iterator[RenderableType]:
        check = self._check
        known = advice(check.id, {check.id: check})
        head = Text(line(check.id, NAME), "bold").append("  ")
        head.append(f"{check.severity}", SEVERITY_STYLE[check.severity])
        yield head.append(" if it fails", "dim")
        yield Text(line(check.asks))
        yield ""
        table = Table.grid(padding=(0, 2, 1, 0))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(overflow="fold", ratio=1)
        table.add_row("why", Text(known.why))
        table.add_row("fix", Text(known.fix))
        table.add_row("reproduce", Text(known.reproduce, "bold"))
        table.add_row("see", Text("\n".join(known.see)))
        table.add_row("judges", Text(self._scope()))
        if self._readings:
            table.add_row("reads", Text("\n".join(line(r.source, 200) for r in self._readings)))
        table.add_row("proof", self._proof())
        yield Padding(table, (0, 0, 0, 2))

    def _scope(self) -> str:
        kinds = [
            need.kind.__name__ + (" (if it can be read)" if need.optional else "")
            for need in self._check.needs.values()
        ]
        how = "all nodes against each other" if self._check.fleet else "each node by itself"
        return f"{how}, by its facts: {', '.join(kinds)}" if kinds else how

    def _proof(self) -> Text:
        plants = self._check.plants
        said = Text(f"{count(len(plants), 'planted fault')} that it must find:")
        for at, plant in enumerate(plants, 1):
            said.append(f"\n{line(plant.name) or f'fault {at}'}", "bold")
            said.append(f" on {plant.host}", "dim")
            for edit in plant.edits:
                said.append(f"\n  {line(edit.path or edit.source, 200)}: {_edit(edit)}")
        return said.append("\nassay selftest shows it on your own machine.", "dim")


def _edit(edit: Edit) -> str:
    if edit.status is not Status.ANSWERED:
        return str(edit.status)
    new = line(edit.new, 120)
    return f"{line(edit.old, 120)!r} becomes {new!r}" if edit.old else f"becomes {new!r}"
