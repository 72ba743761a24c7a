"""RoCE uses the largest path MTU that fits its interface: 1500 bytes leave 1024."""

from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.network import NetworkInterface
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import network

LEAST = 4200  # a path MTU of 4096 and the headers of RoCE v2 with VLAN
MTU = "/sys/class/net/enp45s0np0/device/net/enp45s0np0/mtu"


@check(
    "fabric.roce-mtu",
    asks="Do the interfaces of the RoCE rails carry frames large enough for a path MTU of 4096?",
    severity=Severity.MEDIUM,
    why="At 1500 bytes RDMA falls back to 1024-byte packets: four times the packets and "
    "acknowledgements for the same bytes.",
    fix="Set MTU 9000 (at least 4200) on the interface and on every switch port in between.",
    see=[
        "https://docs.nvidia.com/networking/display/mlnxofedv24100700/rdma+over+converged+ethernet+(roce)"
    ],
    reproduce="ip link; ibv_devinfo | grep active_mtu",
    plants=[plant(Edit(network.INTERFACES.source, path=MTU, new="1500\n"), host="mi300x")],
)
def roce_mtu(
    ports: Sequence[RdmaPort], interfaces: Sequence[NetworkInterface]
) -> Iterator[Verdict]:
    """Compare the MTU of each rail's interface with what 4096 bytes need."""
    mtus = {interface.name: interface.mtu for interface in interfaces}
    for port in parts.rails(ports):
        if not port.roce or not parts.active(port):
            continue
        mtu = mtus.get(port.netdev)
        if mtu is None:
            yield unknown(port.subject, f"the MTU of {port.netdev or 'its interface'} is not known")
        elif mtu < LEAST:
            yield failed(port.subject, f"{port.netdev} has MTU {mtu}, at least {LEAST} is wanted")
        else:
            yield passed(port.subject, f"{port.netdev} has MTU {mtu}")
