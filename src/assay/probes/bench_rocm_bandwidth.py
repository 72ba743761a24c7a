"""Copies on AMD machines: HIP's bandwidth tables, rocm-bandwidth-test and TransferBench."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.benchmark import BenchmarkFigure
from assay.probes.bench_words import figure, lines
from assay.probes.pasted import clean

ROCM = saved(
    "rocm-bandwidth",
    looks_like=r"^[ \t]*RocmBandwidthTest Version:[^\n]*(?:\n[^\n]*){0,12}"
    r"|^[ \t]*(?:Unidirectional|Bi?directional) copy peak bandwidth GB/s[^\n]*(?:\n[^\n]*){0,4}"
    r"|^[ \t]*test\s+atts\s+units\s+median\s+mean\s+stddev[^\n]*(?:\n[^\n]*){0,4}",
)
HIP, ROCM_TEST, TRANSFER = "hip-bus-bandwidth", "rocm-bandwidth-test", "transferbench"

_DEVICE = re.compile(r"\s*Device: ?(.*?)\s+Mem=")
_TEST = re.compile(r"\s*(\S+)\s+([+-]?\d+(?:\.\d+)?[kKMG]?By?)\s+(\S+)\s+(.*)")
_MATRIX = re.compile(r"\s*(Unidirectional|Bi?directional) copy peak bandwidth (GB/s)")
_OTHER = re.compile(r"\s*(?:Inter-)?Device (?:Access|Numa Distance)")
_ROW = re.compile(r"\s*(\d+|(?:CPU|GPU) \d+)(?:\s+->)?((?:\s+(?:\d+(?:\.\d+)?|N/A))+)\s*")
_SIZE = re.compile(r"\+?0*(\d+(?:\.\d+)?)(k|K|M|G)?(?:By|B)")
_FACTOR = {"": 1, "k": 1024, "K": 1024, "M": 1024**2, "G": 1024**3}
# In the sources of hipBusBandwidth a GB is 10^9 bytes.
_UNITS = {"GB/sec": "GB/s", "GB/s": "GB/s", "ms": "ms", "us": "us", "MB/sec": "MB/s"}


@probe("benchmark.rocm-bandwidth", reads=[ROCM])
def rocm_bandwidth(seen: Seen) -> Iterator[BenchmarkFigure]:
    """Copy bandwidths and times by size, or between each pair of devices."""
    if seen.capture(ROCM) is None:
        return
    text = clean(seen.text(ROCM))
    found = False
    for result in (*_sizes(text), *_pairs(text)):
        found = True
        yield result
    if not found:
        raise Unread("no result of a copy is there")


def _sizes(text: str) -> Iterator[BenchmarkFigure]:
    device, columns = "", list[str]()
    for line in lines(text):
        if named := _DEVICE.match(line):
            device = named.group(1).removeprefix("Device ")
        elif line.split()[:3] == ["test", "atts", "units"]:
            columns = line.split()[3:]
        elif columns and (row := _TEST.fullmatch(line)):
            test, size, unit, rest = row.groups()
            for name, cell in zip(columns, rest.split(), strict=False):
                at = (("bytes", _bytes(size)), ("statistic", name), ("device", device))
                yield from figure(HIP, test, cell, _UNITS.get(unit, unit), *at)


def _bytes(size: str) -> str:
    found = _SIZE.fullmatch(size)
    return str(int(float(found.group(1)) * _FACTOR[found.group(2) or ""])) if found else ""


def _pairs(text: str) -> Iterator[BenchmarkFigure]:
    tool = ROCM_TEST if "RocmBandwidthTest" in text or "D/D" in text else TRANSFER
    kind, columns = "", list[str]()
    for raw in lines(text):
        line = raw.strip()
        if matrix := _MATRIX.match(line):
            kind, columns = matrix.group(1).lower().replace("bdir", "bidir"), []
        elif _OTHER.match(line):
            kind, columns = "", []
        elif kind and (line.startswith("D/D") or "DST" in line.split(" ", 1)[0]):
            columns = re.findall(r"(?:CPU|GPU) \d+|\b\d+\b", line)
        elif kind and columns and (row := _ROW.fullmatch(line)):
            for column, cell in zip(columns, row.group(2).split(), strict=False):
                at = (("direction", kind), ("from", row.group(1)), ("to", column))
                yield from figure(tool, "copy bandwidth", cell, "GB/s", *at)
