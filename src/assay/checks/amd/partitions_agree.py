"""How the AMD GPUs of a cluster are cut up, node by node."""

from collections import Counter
from collections.abc import Iterator

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.device import GpuPartition
from assay.model.finding import HOST, Verdict
from assay.model.outcome import Outcome, Severity
from assay.probes.amd_devices import STATIC


@check(
    "amd.partitions-agree",
    asks="Do all nodes with AMD GPUs have them in the same partition mode?",
    severity=Severity.LOW,
    why="A job that spans nodes with different modes sees different numbers and sizes of devices.",
    fix="Set the compute and memory partition mode from one place (the node image or the GPU "
    "operator's profile), and reboot nodes that differ.",
    see=[
        "https://instinct.docs.amd.com/projects/amdgpu-docs/en/latest/gpu-partitioning/"
        "mi300x/overview.html"
    ],
    reproduce="amd-smi static --partition",
    plants=[
        plant(
            Edit(
                STATIC.source,
                old='"memory_partition": "NPS1"',
                new='"memory_partition": "NPS4"',
                count=0,
            ),
            host="mi300x",
        ),
    ],
)
def partitions_agree(fleet: Fleet[GpuPartition]) -> Iterator[Verdict]:
    """Compare the sets of modes; the set on most nodes is the rule."""
    nodes: Counter[str] = Counter()
    told = []
    for group in fleet:
        modes = ", ".join(sorted({partition.mode for partition in group.facts}))
        if modes:
            nodes[modes] += len(group.nodes)
            told.append((modes, group.nodes))
    if not nodes:
        return
    usual, number = nodes.most_common(1)[0]
    for modes, where in told:
        if modes == usual:
            because = f"GPUs are in {modes}, as on {number} of {nodes.total()} nodes"
            yield Verdict(Outcome.PASS, HOST, because, nodes=where)
        else:
            because = f"GPUs are in {modes}, on {number} other nodes in {usual}"
            yield Verdict(Outcome.FAIL, HOST, because, nodes=where)
