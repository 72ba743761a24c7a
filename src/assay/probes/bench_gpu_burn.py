"""Results of gpu-burn: speed, errors and temperature of each GPU, and its verdicts."""

import re
from collections import deque
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.benchmark import BenchmarkFigure
from assay.model.facts.device import DeviceTest
from assay.probes.bench_words import figure
from assay.probes.pasted import clean

GPU_BURN = saved(
    "gpu-burn",
    looks_like=r"(?<![\d.])\d{1,3}\.\d{1,2}%\s{1,8}proc'd: \d+[\s\S]{0,4000}"
    r"|^Tested \d+ GPUs?:\s*\n\s*GPU \d+: (?:OK|FAULTY)[\s\S]{0,2000}",
)
TOOL = "gpu-burn"

_PROGRESS = re.compile(
    r"(\d+\.\d+)%\s+"
    r"proc'd:\s*([^%:]*?)\s+errors:\s*([^%:]*?)\s+temps:\s*((?:(?:\d+|--) C(?: - )?)+)"
)
_SPEED = re.compile(r"(-?\d+) \((-?\d+(?:\.\d+)?) ([GT]flop/s)\)")
_VERDICT = re.compile(r"^[ \t]*GPU (\d+): (OK|FAULTY)[ \t]*$", re.MULTILINE)
_LISTED = re.compile(r"^[ \t|]*GPU (\d+): ([^\n(]{1,80}) \(UUID: (GPU-[\w-]+)\)", re.MULTILINE)


@probe("benchmark.gpu-burn", reads=[GPU_BURN])
def gpu_burn(seen: Seen) -> Iterator[BenchmarkFigure | DeviceTest | Accelerator]:
    """The last speed, all errors and the temperature of every GPU, and whether it is faulty."""
    if seen.capture(GPU_BURN) is None:
        return
    text = clean(seen.text(GPU_BURN))
    for index, product, uuid in _LISTED.findall(text):
        yield Accelerator("nvidia", int(index[:6]), product, uuid=uuid)
    last = deque(_PROGRESS.findall(text), maxlen=1)
    for progress in last:
        yield from _progress(*progress)
    verdicts = _VERDICT.findall(text)
    for gpu, status in verdicts:
        yield DeviceTest(TOOL, "burn", f"gpu {gpu}", status)
    if not last and not verdicts:
        raise Unread("gpu-burn printed no result")


def _progress(percent: str, speeds: str, errors: str, temps: str) -> Iterator[BenchmarkFigure]:
    done = ("percent", percent)
    for gpu, (_, speed, unit) in enumerate(_SPEED.findall(speeds)):
        yield from figure(TOOL, "compute", speed, unit, ("gpu", str(gpu)), done)
    for gpu, count in enumerate(errors.split(" - ")):
        yield from figure(TOOL, "errors", count, "", ("gpu", str(gpu)), done)
    for gpu, temperature in enumerate(temps.split(" - ")):
        yield from figure(TOOL, "temperature", temperature, "C", ("gpu", str(gpu)), done)
