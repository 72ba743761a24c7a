"""Geometry of the pictures in HTML: numbers only, the templates draw them as inline SVG.

Shapes say what colours say: a failure is a filled square, the larger the graver; an unknown is
hatched; a pass is a plain tile.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.outcome import Outcome, Severity, worst
from assay.reports.nodeset import fold
from assay.reports.summary import Counts, NodeSum
from assay.reports.text import SEVERITIES, count

MOST_CELLS = 512  # more nodes than this share cells with their neighbours
PITCH, TILE = 18, 15  # from cell to cell, and the side of one, in SVG units

# the side of a failure's square, as a share of its tile
SIZE = {
    Severity.CRITICAL: 1.0,
    Severity.HIGH: 0.8,
    Severity.MEDIUM: 0.6,
    Severity.LOW: 0.45,
    Severity.INFO: 0.3,
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar, in percent of the widest bar."""

    outcome: Outcome
    x: float
    width: float


def bar(counts: Counts, most: int) -> list[Segment]:
    """*counts* as one bar, on a scale where *most* is the whole width."""
    drawn: list[Segment] = []
    at = 0
    for outcome, number in counts.pairs:
        if number:
            drawn.append(Segment(outcome, round(100 * at / most, 2), round(100 * number / most, 2)))
            at += number
    return drawn


@dataclass(frozen=True, slots=True)
class Cell:
    """One node, or a few neighbours: where it is drawn, and what it says."""

    x: int
    y: int
    outcome: Outcome
    severity: Severity | None
    title: str

    @property
    def inset(self) -> float:
        """How far the square of a failure stays from the edge of its tile."""
        return round(TILE * (1 - SIZE[self.severity]) / 2, 2) if self.severity else 0.0

    @property
    def side(self) -> float:
        """The side of the square of a failure."""
        return round(TILE - 2 * self.inset, 2)


@dataclass(frozen=True, slots=True)
class Strip:
    """All nodes in the run's order, row by row: neighbours in a rack stay together."""

    cells: tuple[Cell, ...]
    width: int
    height: int
    per_cell: int


def strip(nodes: Sequence[NodeSum]) -> Strip:
    """Every node as a tile; from 513 nodes on, a tile stands for several and shows the worst."""
    per_cell = max(1, math.ceil(len(nodes) / MOST_CELLS))
    groups = [nodes[at : at + per_cell] for at in range(0, len(nodes), per_cell)]
    columns = min(64, max(8, 8 * math.ceil(math.sqrt(len(groups) * 5) / 8)))
    cells = tuple(
        Cell(
            PITCH * (at % columns),
            PITCH * (at // columns),
            worst(node.outcome for node in group),
            _gravest(group),
            _title(group),
        )
        for at, group in enumerate(groups)
    )
    rows = math.ceil(len(groups) / columns)
    gap = PITCH - TILE
    used = min(columns, len(groups))
    return Strip(cells, PITCH * used - gap, max(PITCH * rows - gap, 0), per_cell)


def _gravest(group: Sequence[NodeSum]) -> Severity | None:
    found = {node.severity for node in group}
    return next((severity for severity in SEVERITIES if severity in found), None)


def _title(group: Sequence[NodeSum]) -> str:
    name = fold(node.row.name for node in group)[:160]
    if len(group) > 1:
        sick = sum(node.outcome is Outcome.FAIL for node in group)
        return f"{name}: {count(sick, 'node')} of {len(group)} with failures"
    (node,) = group
    if node.failed:
        return f"{name}: {node.failed}"
    return f"{name}: {node.outcome}"
