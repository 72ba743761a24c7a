"""A user who can send management datagrams can map, and without keys reprogram, the fabric."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaDeviceNode, RdmaPort
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes import rdma

OTHERS = 0o006


@check(
    "fabric.mad-devices-closed",
    asks="Are the management datagram devices closed to ordinary users?",
    severity=Severity.HIGH,
    why="With umad or issm a job can walk the whole subnet, read other ports and, where no M_Key "
    "protects them, change partitions and routes.",
    fix="Leave /dev/infiniband/umad* and issm* at mode 0600 root; remove udev rules that widen it.",
    see=["https://docs.kernel.org/infiniband/user_mad.html", "CWE-732"],
    reproduce="ls -l /dev/infiniband/umad* /dev/infiniband/issm*",
    plants=[plant(Edit(rdma.NODES.source, path="/dev/infiniband/umad0", new="c 0666 0 0 231:0 0"))],
)
def mad_devices_closed(
    nodes: Sequence[RdmaDeviceNode], ports: Sequence[RdmaPort]
) -> Iterator[Verdict]:
    """Look at the mode of umad and issm nodes."""
    if not any(port.link_layer == "InfiniBand" for port in ports):
        return  # on Ethernet there is no subnet to manage
    for node in nodes:
        name = node.path.removeprefix("/dev/infiniband/")
        if not name.startswith(("umad", "issm")):
            continue
        if node.mode & OTHERS:
            yield failed(f"infiniband/{name}", f"mode {node.mode:04o}: open to every user")
        else:
            yield passed(f"infiniband/{name}", f"mode {node.mode:04o}")
