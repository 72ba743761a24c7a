"""How the AMD GPUs of one node are cut up."""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.device import GpuPartition
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.amd_devices import STATIC


@check(
    "amd.partitions-alike",
    asks="Are all AMD GPUs of a node in the same compute and memory partition mode?",
    severity=Severity.MEDIUM,
    why="A GPU that was left in CPX or NPS4 shows as several small ones: jobs get less memory than "
    "they asked for, and ranks no longer match devices.",
    fix="amd-smi set --compute-partition SPX and --memory-partition NPS1 on every GPU while the "
    "node is idle.",
    see=[
        "https://instinct.docs.amd.com/projects/amdgpu-docs/en/latest/gpu-partitioning/"
        "mi300x/overview.html"
    ],
    reproduce="amd-smi static --partition",
    plants=[
        plant(
            Edit(
                STATIC.source,
                old='"accelerator_partition": "SPX"',
                new='"accelerator_partition": "CPX"',
            ),
            host="mi300x",
        ),
    ],
)
def partitions_alike(partitions: Sequence[GpuPartition]) -> Iterator[Verdict]:
    """The mode that most GPUs have is the rule."""
    modes = Counter(partition.mode for partition in partitions)
    if not modes:
        return
    usual, number = modes.most_common(1)[0]
    for partition in partitions:
        if partition.mode != usual:
            yield failed(
                f"gpu {partition.index}", f"is in {partition.mode}, {number} others in {usual}"
            )
    if len(modes) == 1:
        yield passed(HOST, f"all {number} GPUs are in {usual}")
