"""What benchmarks printed: figures with their units, and the paths that NCCL said it took."""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class BenchmarkFigure(Fact):
    """One number that a benchmark printed, in the unit that it printed.

    GB is 10^9 bytes, GiB is 2^30. ``at`` holds the circumstances: ``("bytes", "8388608")``.
    """

    whole: ClassVar[bool] = False

    tool: str
    metric: str
    value: float
    unit: str
    at: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NcclTransport(Fact):
    """A way that data may take, as a line of NCCL's log names it; equal lines are counted.

    ``role``: ``channel`` (a connection over it was made), ``selection`` (it was chosen),
    ``capability`` (it could be used), ``negative`` (it is not used, or why), ``progress``. Only
    ``proves_data_path`` is evidence that data went that way. ``scope`` is ``intra``,
    ``inter-node`` or ``intra-or-domain`` for channels.
    """

    whole: ClassVar[bool] = False

    transport: str
    role: str
    scope: str
    proves_data_path: bool
    nccl_version: str = ""
    count: int = 1
    line: str = ""
