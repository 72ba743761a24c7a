"""Results of nccom-test: collectives between NeuronCores."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.benchmark import BenchmarkFigure
from assay.model.facts.device import DeviceTest
from assay.probes.bench_words import figure, lines
from assay.probes.pasted import clean, documents

NCCOM = saved(
    "nccom-test",
    looks_like=r"^[^\n]*\bnccom-test [^\n]*(?:\n[^\n]*){0,3}"
    r"|^[ \t]*size\(B\)\s+count\(elems\)[^\n]*(?:\n[^\n]*){0,2}|\"size\(B\)\"[^\n]*",
)
TOOL = "nccom-test"

_COMMAND = re.compile(r"(?:^|[$#/ ])nccom-test ([^\n]*)")
_COLLECTIVE = re.compile(
    r"\b(allreduce|all_reduce|allr|allgather|all_gather|allg|reduce_scatter|reducescatter|redsct"
    r"|sendrecv|alltoall|all_to_all|alltoallv|permute|bcast|broadcast|p2p)\b"
)
_FULL = {"allr": "all_reduce", "allreduce": "all_reduce", "allg": "all_gather",
         "allgather": "all_gather", "redsct": "reduce_scatter", "reducescatter": "reduce_scatter",
         "alltoall": "all_to_all", "bcast": "broadcast"}  # fmt: skip
_COLUMN = re.compile(r"([\w:]+)\(([^)]+)\)|(\w+)")
_AVERAGE = re.compile(r"\s*Avg bus bandwidth:\s*([\d.]+)\s*(\S*)")
_FAILED = re.compile(r"\s*(\d+)\s+((?:Failure|Error|Failed)\b.*)", re.IGNORECASE)


@probe("benchmark.nccom-test", reads=[NCCOM])
def nccom_test(seen: Seen) -> Iterator[BenchmarkFigure | DeviceTest]:
    """Times and bandwidths by size, the average, and runs that failed."""
    if seen.capture(NCCOM) is None:
        return
    text = clean(seen.text(NCCOM))
    found = False
    for fact in _json(text) if '"size(B)"' in text else _table(text):
        found = True
        yield fact
    if not found:
        raise Unread("nccom-test printed no result")


def _table(text: str) -> Iterator[BenchmarkFigure | DeviceTest]:
    collective, ranks, columns = "", "", list[tuple[str, str]]()
    for line in lines(text):
        if command := _COMMAND.search(line):
            named = _COLLECTIVE.search(command.group(1))
            collective = _FULL.get(named.group(1), named.group(1)) if named else ""
            count = re.search(r"(?:-r|--nworkers) (\d+)", command.group(1))
            ranks = count.group(1) if count else ""
        elif line.strip().startswith("size(B)"):
            columns = [(a or c, b) for a, b, c in _COLUMN.findall(line)]
        elif average := _AVERAGE.match(line):
            at = (("collective", collective), ("ranks", ranks))
            yield from figure(TOOL, "average busbw", average.group(1), "GB/s", *at)
        elif columns and (failed := _FAILED.fullmatch(line)):
            detail = f"{failed.group(1)} B: {failed.group(2).strip()}"[:300]
            yield DeviceTest(TOOL, collective or "collective", "", "Failed", detail=detail)
        elif columns and re.match(r"\s*\d+\s+\d+\s+\w+\s+[\d.]", line):
            about = (("collective", collective), ("ranks", ranks))
            yield from _row(columns, line.split(), about)


def _row(
    columns: Sequence[tuple[str, str]], cells: Sequence[str], about: tuple[tuple[str, str], ...]
) -> Iterator[BenchmarkFigure]:
    said = {name: (cell, unit) for (name, unit), cell in zip(columns, cells, strict=False)}
    names = {"size": "bytes", "count": "elements", "type": "type"}
    at = tuple((names[k], said[k][0]) for k in names if k in said)
    for name, (cell, unit) in said.items():
        if name not in names:
            metric = name.removesuffix(":avg").replace(":", " ")
            yield from figure(TOOL, metric, cell, unit, *at, *about)


def _json(text: str) -> Iterator[BenchmarkFigure]:
    for document in documents(text, "the report of nccom-test"):
        root = document if isinstance(document, dict) else {"results": document}
        results: Any = root.get("results")
        for result in results if isinstance(results, list) else []:
            if isinstance(result, dict):
                columns = [(a or c, b) for key in result for a, b, c in _COLUMN.findall(str(key))]
                if len(columns) == len(result):
                    yield from _row(columns, [str(v) for v in result.values()], ())
