"""Adapters on different firmware across nodes give faults that nobody can reproduce."""

from collections.abc import Iterator

from assay.checks.fabric import parts
from assay.checks.fabric.odd_ones import odd_nodes
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet, Group
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

OLD = [
    Edit(rdma_sysfs.DEVICES.source, path=f"/sys/class/infiniband/mlx5_{n}/fw_ver", new="28.36.1010")
    for n in range(8)
]


@check(
    "fabric.firmware-alike",
    asks="Does the same adapter run the same firmware on every node?",
    severity=Severity.MEDIUM,
    why="Congestion control, link training and fixes differ between firmware versions; a mixed "
    "fleet also shows that there is no rollout process.",
    fix="Update the odd nodes with mlxfwmanager or the vendor's tool, and reset the adapters.",
    see=["https://docs.nvidia.com/networking/display/mftv4221526lts/mlxlink+Utility"],
    reproduce="grep . /sys/class/infiniband/*/fw_ver",
    plants=[plant(*OLD, name="one node on old firmware")],
)
def firmware_alike(fleet: Fleet[RdmaPort]) -> Iterator[Verdict]:
    """Compare the firmware of each kind of adapter over all nodes."""
    kinds = sorted({parts.key(port) for group in fleet for port in group.facts})
    for kind in kinds:
        said = {node: _versions(group, kind) for group in fleet for node in group.nodes}
        yield from odd_nodes(said, parts.title(kind))


def _versions(group: Group[RdmaPort], kind: tuple[str, str]) -> str:
    found = {p.firmware for p in group.facts if parts.key(p) == kind and p.firmware}
    return " and ".join(sorted(found))
