"""Results of GPCNeT: a fabric's latency and bandwidth alone, and under congestion."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.benchmark import BenchmarkFigure
from assay.probes.bench_words import figure, lines
from assay.probes.pasted import clean

GPCNET = saved(
    "gpcnet",
    looks_like=r"^[ \t]*Network(?:Load)? Tests v[\d.]+[^\n]*(?:\n[^\n]*){0,16}"
    r"|^\|\s+(?:Isolated (?:Network|Congestion) Tests|Network Tests running with)[^\n]*\|[ \t]*$"
    r"(?:\n[^\n]*){0,8}",
)
TOOL = "gpcnet"

_NAMED = re.compile(r"(.+?) \((\d+) B\)")
_STATS = {"Min": "min", "Max": "max", "Avg": "avg", "Avg(Worst)": "avg-worst", "99%": "p99",
          "99.9%": "p99.9"}  # fmt: skip


@probe("benchmark.gpcnet", reads=[GPCNET])
def gpcnet(seen: Seen) -> Iterator[BenchmarkFigure]:
    """Each test's statistics in its own unit, and the factors by which congestion slows it."""
    if seen.capture(GPCNET) is None:
        return
    section, columns, found = "", list[str](), False
    for raw in lines(clean(seen.text(GPCNET))):
        line = raw.strip()
        if not (line.startswith("|") and line.endswith("|")) or len(line) < 3:
            continue
        cells = [cell.strip() for cell in line[1:-1].split("|")]
        if len(cells) == 1:
            section, columns = re.sub(r"\s+", " ", cells[0]).replace("( ", "("), []
        elif cells[0] in ("Name", "") and set(cells[1:]) & (set(_STATS) | {"Units"}):
            columns = cells
        elif columns and (named := _NAMED.fullmatch(cells[0])):
            for result in _row(section, columns, named, cells):
                found = True
                yield result
    if not found:
        raise Unread("GPCNeT printed no result")


def _row(
    section: str, columns: list[str], named: re.Match[str], cells: list[str]
) -> Iterator[BenchmarkFigure]:
    said = dict(zip(columns, cells, strict=False))
    test, size = named.groups()
    for name, stat in _STATS.items():
        cell = said.get(name)
        # the key results are factors: "1.5X"
        unit = said.get("Units") or ("x" if cell and cell.upper().endswith("X") else "")
        at = (("section", section), ("bytes", size), ("statistic", stat))
        yield from figure(TOOL, test.strip(), cell, unit, *at)
