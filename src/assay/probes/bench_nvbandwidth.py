"""Results of nvbandwidth, as text and as JSON."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.benchmark import BenchmarkFigure
from assay.model.facts.device import DeviceTest
from assay.probes.bench_words import figure, lines
from assay.probes.pasted import bdf, clean, documents, words

NVBANDWIDTH = saved(
    "nvbandwidth",
    looks_like=r"^nvbandwidth Version:[^\n]*(?:\n[^\n]*){0,12}"
    r"|^Running \w+_(?:ce|sm)\.\s*\n[^\n]*\bbandwidth \(GB/s\)[^\n]*"
    r"|\"nvbandwidth\"\s*:\s*\{[\s\S]{0,400}|\"bandwidth_matrix\"\s*:[\s\S]{0,400}",
)
TOOL = "nvbandwidth"

_DEVICE = re.compile(r"\s*Device (\d+): (.+?) \(([0-9a-fA-F:.]+)\)")
_RUNNING = re.compile(r"\s*Running (\w+)\.")
_UNIT = re.compile(r"\((GB/s|ns|us|GiB/s)\)\s*$")
_SUM = re.compile(r"\s*(SUM|MIN|MAX|AVG|MEAN|MEDIAN) (\w+) (\S+)\s*")
_STATUS = re.compile(r"\s*(?:(\w+): )?(WAIVED|ERROR|FAILED|NOT FOUND)\b:?\s*(.*)", re.IGNORECASE)


@probe("benchmark.nvbandwidth", reads=[NVBANDWIDTH])
def nvbandwidth(seen: Seen) -> Iterator[BenchmarkFigure | Accelerator | DeviceTest]:
    """Copy bandwidths between host and GPUs and between GPUs, cell by cell and summed."""
    if seen.capture(NVBANDWIDTH) is None:
        return
    text = clean(seen.text(NVBANDWIDTH))
    found = False
    for fact in _json(text) if '"testcases"' in text else _text(text):
        found = found or not isinstance(fact, Accelerator)
        yield fact
    if not found:
        error = re.search(r"^[^\n]*(?:ERROR|error|failed)[^\n]*", text, re.MULTILINE)
        raise Unread(error.group().strip()[:300] if error else "nvbandwidth printed no result")


def _text(text: str) -> Iterator[BenchmarkFigure | Accelerator | DeviceTest]:
    test, unit, columns = "", "", list[str]()
    for line in lines(text):
        if device := _DEVICE.match(line):
            number, product, place = device.groups()
            yield _accelerator(number, product, place)
        elif running := _RUNNING.match(line):
            test, unit, columns = running.group(1), "", []
        elif summed := _SUM.fullmatch(line):
            name = summed.group(1).lower()
            yield from figure(TOOL, summed.group(2), summed.group(3), unit, ("aggregate", name))
        elif told := _UNIT.search(line):
            unit, columns = told.group(1), []
        elif unit and not columns and re.fullmatch(r"\s*\d+(?:\s+\d+)*\s*", line):
            columns = line.split()
        elif unit and columns and re.match(r"\s*\S+(?:\s+(?:[\d.]+|N/A))+\s*$", line):
            row, *cells = line.split()
            for column, cell in zip(columns, cells, strict=False):
                yield from figure(TOOL, test, cell, unit, ("row", row), ("column", column))
        elif test and (status := _STATUS.match(line)) and status.group(3) + (status.group(1) or ""):
            name, word, detail = status.groups()
            yield DeviceTest(TOOL, name or test, "", word.capitalize(), detail=detail[:300])


def _accelerator(number: str, product: str, place: str) -> Accelerator:
    where = bdf(place if "." in place else place + ".0")
    return Accelerator("nvidia", int(number[:6]), product, bdf=where)


def _json(text: str) -> Iterator[BenchmarkFigure | Accelerator | DeviceTest]:
    for document in documents(text, "the report of nvbandwidth"):
        root = _map(document)
        body = _map(root.get("nvbandwidth")) or root
        for line in _list(body.get("GPU Device list")) or _list(body.get("GPU Device info")):
            named = re.match(r"(\d+): (.+?):? \(([0-9a-fA-F:.]+)\)", line if line else "") if (
                isinstance(line, str)) else None  # fmt: skip
            if named:
                yield _accelerator(*named.groups())
        for case in (_map(one) for one in _list(body.get("testcases"))):
            yield from _case(case)
        if words(body.get("error")):
            yield DeviceTest(TOOL, "run", "", "Error", detail=words(body["error"])[:300])


def _case(case: Mapping[str, Any]) -> Iterator[BenchmarkFigure | DeviceTest]:
    name, status = words(case.get("name")), words(case.get("status"))
    said = words(case.get("bandwidth_description"))
    told = _UNIT.search(said)
    unit = told.group(1) if told else "ns" if "latency" in name else "GB/s"
    if name and status and status != "Passed":
        yield DeviceTest(TOOL, name, "", status, detail=words(case.get("error"))[:300])
    if status != "Passed":
        return
    for row, cells in enumerate(_list(case.get("bandwidth_matrix"))):
        for column, cell in enumerate(_list(cells)):
            at = (("row", str(row)), ("column", str(column)))
            yield from figure(TOOL, name, words(cell), unit, *at)
    for key, aggregate in (("sum", "sum"), ("min", "min"), ("max", "max"), ("average", "avg")):
        if key in case:
            yield from figure(TOOL, name, words(case[key]), unit, ("aggregate", aggregate))


def _map(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def _list(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []
