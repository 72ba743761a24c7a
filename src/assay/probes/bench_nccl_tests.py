"""Results of nccl-tests and rccl-tests: every size, both placements, errors and the average."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.benchmark import BenchmarkFigure, NcclTransport
from assay.probes.bench_words import figure, lines
from assay.probes.nccl_log import transports
from assay.probes.pasted import clean, documents

NCCL_TESTS = saved(
    "nccl-tests",
    looks_like=r"^[^\n#]{0,40}#\s+nThread +\d+[^\n]*(?:\n[^\n]*){0,30}"
    r"|^[^\n#]{0,40}#\s+size\s+count\s+type\b[^\n]*(?:\n[^\n]*){0,30}"
    r"|\"(?:average_bus_bandwidth|out_of_bounds)\"\s*:\s*\{[\s\S]{0,300}",
)

TYPES = (
    "int8|char|uint8|int32|int|uint32|int64|uint64|half|float16|bfloat16|float|float32|double"
    "|float64|fp8_\\w+|f8e\\w+|float8\\w*"
)
_ROW = re.compile(rf"\s*\d+\s+\d+\s+(?:{TYPES})\s")
_HEAD = re.compile(r"\s*#?\s*size\s+count\s+type\b")
_START = re.compile(r"#\s+nThread\s+\d+")
_RANK = re.compile(r"#\s+Rank\s+(\d+)\s+(?:Group\s+\d+\s+)?Pid\s+\d+\s+on\s+(\S+)\s+device")
_AVERAGE = re.compile(r"#\s*Avg bus bandwidth\s*:\s*(\S+)")
_BOUNDS = re.compile(r"#\s*Out of bounds values\s*:\s*(\d+)")
_NAMED = re.compile(
    r"(?:Collective test starting: |(?:^|[/\s]))((?:all_reduce|all_gather|alltoall|alltoallv|"
    r"broadcast|gather|hypercube|reduce|reduce_scatter|scatter|sendrecv)_perf)\b"
)
_UNITS = {"time": "us", "algbw": "GB/s", "busbw": "GB/s", "wrong": ""}
_JSON = {"time": "time", "alg_bw": "algbw", "bus_bw": "busbw", "nwrong": "wrong"}


@dataclass
class _Run:
    """One collective of one launch."""

    tool: str
    collective: str = ""
    ranks: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    columns: Sequence[str] = ()

    @property
    def about(self) -> tuple[tuple[str, str], ...]:
        ranks = str(len(self.ranks)) if self.ranks else ""
        hosts = str(len(self.hosts)) if self.hosts else ""
        return (("collective", self.collective), ("ranks", ranks), ("hosts", hosts))


@probe("benchmark.nccl-tests", reads=[NCCL_TESTS])
def nccl_tests(seen: Seen) -> Iterator[BenchmarkFigure | NcclTransport]:
    """Bandwidths and times of collectives, and the paths that NCCL's log names beside them."""
    if seen.capture(NCCL_TESTS) is None:
        return
    text = clean(seen.text(NCCL_TESTS))
    tool = "rccl-tests" if re.search(r"rccl|AMD Instinct|\bMI\d{3}", text, re.I) else "nccl-tests"
    found = False
    read = _json if '"average_bus_bandwidth"' in text or '"out_of_place"' in text else _table
    for result in read(text, tool):
        found = True
        yield result
    if not found:
        error = re.search(r"^[^\n]*(?:Test (?:NCCL|CUDA|HIP) failure|NCCL WARN)[^\n]*", text, re.M)
        raise Unread(error.group().strip()[:300] if error else "nccl-tests printed no result")
    yield from transports(text)


def _table(text: str, tool: str) -> Iterator[BenchmarkFigure]:
    run = _Run(tool)
    named = ""
    for line in lines(text):
        if (name := _NAMED.search(line)) is not None:
            named = name.group(1).removesuffix("_perf")
            run.collective = run.collective or named
        if _START.match(line.strip()):
            run, named = _Run(tool, named), ""
        elif rank := _RANK.search(line):
            run.ranks.add(rank.group(1))
            run.hosts.add(rank.group(2))
        elif _HEAD.match(line):
            run.columns = line.replace("#wrong", "wrong").replace("error", "wrong").split("time")
        elif _ROW.match(line):
            yield from _row(run, line.split())
        elif average := _AVERAGE.search(line):
            yield from figure(tool, "average busbw", average.group(1), "GB/s", *run.about)
        elif bounds := _BOUNDS.search(line):
            yield from figure(tool, "out of bounds", bounds.group(1), "", *run.about)


def _row(run: _Run, cells: Sequence[str]) -> Iterator[BenchmarkFigure]:
    # each placement has time, algbw, busbw and, unless its column is missing, wrong
    blocks = [["time", *part.replace("#", "").split()] for part in run.columns[1:]]
    blocks = blocks or [["time", "algbw", "busbw", "wrong"]] * 2
    values = sum(len(names) for names in blocks)
    size, count, type, *rest = cells[:-values] if len(cells) >= values + 3 else cells[:3]
    if len(cells) < values + 3 or len(rest) > 2:
        return  # cut, or mixed with another rank's line
    # some collectives print no operation, old versions no root
    op = next((cell for cell in rest if cell[0].isalpha()), "")
    root = next((cell for cell in rest if cell.lstrip("-").isdecimal()), "")
    about = (("bytes", size), ("elements", count), ("type", type), ("op", op), ("root", root))
    left = iter(cells[-values:])
    for place, names in zip(("out-of-place", "in-place"), blocks, strict=False):
        for name, cell in zip(names, left, strict=False):
            if name in _UNITS:
                where = (("place", place), *about, *run.about)
                yield from figure(run.tool, name, cell, _UNITS[name], *where)


def _json(text: str, tool: str) -> Iterator[BenchmarkFigure]:
    for document in documents(text, "the report of nccl-tests"):
        root = document if isinstance(document, dict) else {}
        devices = [d for d in _list(root.get("devices")) if isinstance(d, dict)]
        run = _Run(tool, _plain(root.get("collective") or root.get("test")))
        run.ranks = {str(n) for n, _ in enumerate(devices)}
        run.hosts = {_plain(d.get("hostname")) for d in devices} - {""}
        for result in (r for r in _list(root.get("results")) if isinstance(r, dict)):
            names = {"bytes": "size", "elements": "count", "type": "type", "op": "redop",
                     "root": "root"}  # fmt: skip
            about = tuple((k, _plain(result.get(v))) for k, v in names.items())
            for key, place in (("out_of_place", "out-of-place"), ("in_place", "in-place")):
                values = _map(result.get(key))
                for name, metric in _JSON.items():
                    where = (("place", place), *about, *run.about)
                    value = _plain(values.get(name))
                    yield from figure(tool, metric, value, _UNITS[metric], *where)
        for key, metric, part, unit in (
            ("average_bus_bandwidth", "average busbw", "bandwidth", "GB/s"),
            ("out_of_bounds", "out of bounds", "count", ""),
        ):
            whole = root.get(key)
            said = _plain(_map(whole).get(part) if isinstance(whole, dict) else whole)
            yield from figure(tool, metric, said, unit, *run.about)


def _map(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


def _plain(found: Any) -> str:
    return str(found) if isinstance(found, str | int | float) else ""
