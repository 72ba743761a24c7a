"""A cluster is sold as equal nodes; one with fewer or slower rails slows every job that gets it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.checks.fabric import parts
from assay.checks.fabric.odd_ones import odd_nodes
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict, unknown
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

NONE = "none"


@check(
    "fabric.nodes-alike",
    asks="Do all nodes have the same number and speed of active rails?",
    severity=Severity.HIGH,
    why="A synchronous job runs at the pace of its poorest node.",
    fix="Repair the odd nodes, or put unlike nodes into partitions of their own.",
    see=["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"],
    reproduce="grep . /sys/class/infiniband/*/ports/*/rate",
    plants=[
        plant(
            Edit(
                rdma_sysfs.PORTS.source,
                path="/sys/class/infiniband/mlx5_1/ports/1/state",
                new="1: DOWN\n",
            ),
            name="a rail down on one node",
        )
    ],
)
def nodes_alike(
    fleet: Fleet[RdmaPort], accelerators: Fleet[Accelerator] | None
) -> Iterator[Verdict]:
    """Compare the active rails of each node with those of most nodes of its kind."""
    products = {
        node: ", ".join(sorted({f"{a.vendor} {a.product}".strip() for a in group.facts}))
        for group in accelerators or ()
        for node in group.nodes
    }
    kinds: dict[str, dict[str, str]] = defaultdict(dict)
    for group in fleet:
        rails = parts.rails(group.facts)
        strays = tuple(node for node in group.nodes if products and node not in products)
        if rails and strays:
            why = "its accelerators could not be read, so the nodes of its kind are not known"
            yield replace(unknown("active rails", why), nodes=strays)
        for node in group.nodes:
            if node in strays:
                continue
            product = products.get(node, "")
            if rails or product:  # a login node has neither
                kinds[product or parts.title(parts.key(rails[0]))][node] = _tally(rails)
    for said in kinds.values():
        if set(said.values()) != {NONE}:  # single-node machines without a fabric
            yield from odd_nodes(said, "active rails")


def _tally(rails: Sequence[RdmaPort]) -> str:
    tally = Counter(
        f"{port.rate or 0:g} Gb/s {port.link_layer}" for port in rails if parts.active(port)
    )
    return ", ".join(f"{number} x {kind}" for kind, number in sorted(tally.items())) or NONE
