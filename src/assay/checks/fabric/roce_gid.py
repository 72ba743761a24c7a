"""RoCE v2 over IPv4 is the only form of RoCE that crosses a router."""

from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

PORT = "/sys/class/infiniband/mlx5_2/ports/1/"
USUAL = 3  # where mlx5 puts the first IPv4 address as RoCE v2
EMPTY = "0000:0000:0000:0000:0000:0000:0000:0000\n"


@check(
    "fabric.roce-gid",
    asks="Does every RoCE rail have a RoCE v2 address made of IPv4, at index 3?",
    severity=Severity.HIGH,
    why="Without one, collectives take a link-local or RoCE v1 address and hang beyond the first "
    "switch; at another index, every job script with NCCL_IB_GID_INDEX=3 breaks.",
    fix="Give the rail's interface its IPv4 address (and no second one before it), then look at "
    "show_gids.",
    see=["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"],
    reproduce="show_gids, or grep . /sys/class/infiniband/*/ports/1/gid_attrs/types/*",
    plants=[
        plant(
            Edit(rdma_sysfs.GIDS.source, path=PORT + "gids/2", new=EMPTY),
            Edit(rdma_sysfs.GIDS.source, path=PORT + "gids/3", new=EMPTY),
            host="mi300x",
            name="no IPv4 address",
        ),
        plant(
            Edit(rdma_sysfs.GIDS.source, path=PORT + "gid_attrs/types/3", new="IB/RoCE v1\n"),
            host="mi300x",
            name="RoCE v1 at index 3",
        ),
    ],
)
def roce_gid(ports: Sequence[RdmaPort]) -> Iterator[Verdict]:
    """Look for RoCE v2 over IPv4 in the GID table of every active RoCE rail."""
    for port in parts.rails(ports):
        if not port.roce or not parts.active(port):
            continue
        if port.gids is None:
            yield unknown(port.subject, "its GID table could not be read")
            continue
        fit = [gid.index for gid in port.gids if gid.ipv4 and gid.type.lower() == "roce v2"]
        if USUAL in fit:
            yield passed(port.subject, f"index {USUAL} is RoCE v2 over IPv4")
        elif fit:
            text = f"RoCE v2 over IPv4 is at index {fit[0]}, expected {USUAL}"
            yield failed(port.subject, text, severity=Severity.LOW)
        elif any(not gid.type for gid in port.gids):
            yield unknown(port.subject, "the types of its GIDs could not be read")
        else:
            yield failed(port.subject, f"none of {len(port.gids)} GIDs is RoCE v2 over IPv4")
