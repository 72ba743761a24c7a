"""Nodes of one tenant in different partitions cannot talk to each other."""

from collections.abc import Iterator

from assay.checks.fabric.odd_ones import odd_nodes
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet, Group
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

OTHER = [
    Edit(
        rdma_sysfs.PKEYS.source,
        path=f"/sys/class/infiniband/mlx5_{n}/ports/1/pkeys/0",
        new="0x8044\n",
    )
    for n in range(8)
]


@check(
    "fabric.partitions-alike",
    asks="Are all nodes full members of the same InfiniBand partitions?",
    severity=Severity.HIGH,
    why="A node in another partition hangs the first job that is placed on it, and may sit in "
    "another tenant's network.",
    fix="Put the port GUIDs of all nodes of the tenant into its partition and resweep.",
    see=[
        "https://docs.nvidia.com/networking/display/ufmenterpriseumv6156/appendix+%E2%80%93+sm+partitions-conf+file+format"
    ],
    reproduce="grep -Hv 0x0000 /sys/class/infiniband/*/ports/*/pkeys/*",
    plants=[plant(*OTHER, name="one node in another partition")],
)
def partitions_alike(fleet: Fleet[RdmaPort]) -> Iterator[Verdict]:
    """Compare the partitions with full membership over all nodes."""
    said = {node: _partitions(group) for group in fleet for node in group.nodes}
    yield from odd_nodes(said, "full member of")


def _partitions(group: Group[RdmaPort]) -> str:
    keys = {
        key
        for port in group.facts
        if port.link_layer == "InfiniBand"
        for key in port.pkeys or ()
        if int(key, 16) & 0x8000
    }
    return ", ".join(sorted(keys))
