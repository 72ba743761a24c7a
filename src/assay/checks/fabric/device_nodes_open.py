"""Verbs need /dev/infiniband/uverbs*; closed ones make NCCL fall back to TCP without a word."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaDeviceNode, RdmaPort
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes import rdma

OTHERS = 0o006  # read and write for everybody
CM = "/dev/infiniband/rdma_cm"


@check(
    "fabric.device-nodes-open",
    asks="May an ordinary user open the RDMA device nodes?",
    severity=Severity.HIGH,
    why="Without uverbs a job silently runs over TCP, or does not start.",
    fix="Install rdma-core's udev rules (mode 0666 for uverbs* and rdma_cm) and load ib_uverbs "
    "and rdma_ucm.",
    see=["https://docs.kernel.org/infiniband/user_verbs.html"],
    reproduce="ls -l /dev/infiniband",
    plants=[
        plant(
            Edit(rdma.NODES.source, path="/dev/infiniband/uverbs3", new="c 0600 0 0 231:195 0"),
            name="one closed node",
        ),
        plant(
            Edit(rdma.NODES.source, old="== /dev/infiniband/rdma_cm", new="== /dev/infiniband/x"),
            name="no connection manager",
        ),
    ],
)
def device_nodes_open(
    nodes: Sequence[RdmaDeviceNode], ports: Sequence[RdmaPort]
) -> Iterator[Verdict]:
    """Compare modes with 0666 and the number of uverbs nodes with that of devices."""
    devices = {port.device for port in ports}
    if not devices:
        return
    verbs = [node for node in nodes if node.path.startswith("/dev/infiniband/uverbs")]
    if len(verbs) < len(devices):
        yield failed(HOST, f"{len(verbs)} uverbs nodes for {len(devices)} RDMA devices")
    wanted = [*verbs, *(node for node in nodes if node.path == CM)]
    for node in wanted:
        name = node.path.removeprefix("/dev/")
        if node.type == "c" and node.mode & OTHERS == OTHERS:
            yield passed(name, f"mode {node.mode:04o}")
        else:
            yield failed(name, f"mode {node.mode:04o} owner {node.uid}:{node.gid}, expected 0666")
    if not any(node.path == CM for node in nodes):
        yield failed(CM.removeprefix("/dev/"), "missing: rdma_ucm is not loaded",
                     severity=Severity.MEDIUM)  # fmt: skip
