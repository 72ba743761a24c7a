"""Pieces that benchmarks' outputs share."""

import re
from collections.abc import Iterator

from assay.kit.quantity import number
from assay.model.facts.benchmark import BenchmarkFigure

# What launchers put before each line: srun -l "2: ", mpirun --tag-output "[1,0]<stdout>:".
_TAG = re.compile(r"^(?:\[\d+,\d+\](?:<std(?:out|err)>)?: ?|\[\d+\]:? |\d{1,6}: ?)(?=\S|\s)")


LONGEST = 4096  # characters of a line that are looked at


def lines(text: str) -> Iterator[str]:
    """The lines of *text* without the launcher's rank in front."""
    for line in text.split("\n"):
        yield _TAG.sub("", line[:LONGEST], count=1)


def figure(
    tool: str, metric: str, text: str | None, unit: str, *at: tuple[str, str]
) -> Iterator[BenchmarkFigure]:
    """The figure in *text*; none for N/A and other words. Circumstances without a value go."""
    value = number(text)
    if value is not None:
        yield BenchmarkFigure(tool, metric, value, unit, tuple((k, v) for k, v in at if v))
