"""STREAM on accelerators: SuperBench's gpu_stream and BabelStream."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.benchmark import BenchmarkFigure
from assay.probes.bench_words import figure, lines
from assay.probes.pasted import clean

STREAM = saved(
    "gpu-stream",
    looks_like=r"^STREAM Benchmark\s*\n(?:[^\n]*\n){0,8}"
    r"|^STREAM_[A-Z]+_[a-z\d]+_gpu_\d+_buffer_\d+_block_\d+\s+[\d.]+[^\n]*"
    r"|^BabelStream\s*\n(?:[^\n]*\n){0,12}"
    r"|^Function\s+M(?:Bytes|iBytes)/sec[^\n]*\n[^\n]*|^function,num_times,n_elements[^\n]*",
)
SUPERBENCH, BABEL = "gpu-stream", "babelstream"

_ROW = re.compile(
    r"\s*STREAM_([A-Z]+)_([a-z\d]+)_gpu_(\d+)_buffer_(\d+)_block_(\d+)"
    r"\s+(\S+)(?:\s+(\S+))?\s*"
)
_PEAK = re.compile(r"\s*Device (\d+):.*= ([\d.]+) GB/s PEAK")
_HEAD = re.compile(r"\s*Function\s+(MBytes|MiBytes|GBytes|GiBytes)/sec\b")
_UNIT = {"MBytes": "MB/s", "MiBytes": "MiB/s", "GBytes": "GB/s", "GiBytes": "GiB/s"}
_BABEL = re.compile(r"\s*(Copy|Mul|Add|Triad|Dot|Nstream|Read)\s+([\d.]+)\s+([\d.]+)", re.I)
_ABOUT = re.compile(r"\s*(Implementation|Precision|Array size|Using \w+ device)[: ]\s*(.+)")


@probe("benchmark.gpu-stream", reads=[STREAM])
def stream(seen: Seen) -> Iterator[BenchmarkFigure]:
    """Memory bandwidth of every accelerator by kernel; with the share of the peak if printed."""
    if seen.capture(STREAM) is None:
        return
    text = clean(seen.text(STREAM))
    found = False
    for result in _results(text):
        found = True
        yield result
    if not found:
        raise Unread("no result of STREAM is there")


def _results(text: str) -> Iterator[BenchmarkFigure]:
    unit, about, csv = "", dict[str, str](), list[str]()
    for line in lines(text):
        if row := _ROW.fullmatch(line):
            kernel, type, gpu, size, block, speed, share = row.groups()
            where = (("kernel", kernel.lower()), ("type", type), ("gpu", gpu), ("bytes", size),
                     ("block", block))  # fmt: skip
            yield from figure(SUPERBENCH, "bandwidth", speed, "GB/s", *where)
            yield from figure(SUPERBENCH, "share of peak", share, "%", *where)
        elif peak := _PEAK.match(line):
            yield from figure(SUPERBENCH, "peak", peak.group(2), "GB/s", ("gpu", peak.group(1)))
        elif head := _HEAD.match(line):
            unit = _UNIT[head.group(1)]
        elif unit and (row := _BABEL.match(line)):
            kernel, speed, seconds = row.groups()
            told_of = (("kernel", kernel.lower()), *about.items())
            yield from figure(BABEL, "bandwidth", speed, unit, *told_of)
            yield from figure(BABEL, "fastest", seconds, "s", *told_of)
        elif line.startswith("function,num_times"):
            csv = line.strip().split(",")
        elif csv and line.count(",") == len(csv) - 1:
            said = dict(zip(csv, line.strip().split(","), strict=True))
            for key, printed in (("max_mbytes_per_sec", "MB/s"), ("max_mibytes_per_sec", "MiB/s")):
                at = (("kernel", said["function"].lower()), ("type", about.get("precision", "")))
                yield from figure(BABEL, "bandwidth", said.get(key), printed, *at)
        elif told := _ABOUT.match(line):
            key = "device" if told.group(1).startswith("Using") else told.group(1).lower()
            about[key] = told.group(2).strip()
