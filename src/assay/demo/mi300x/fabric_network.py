"""Network interfaces and NCCL settings of the MI300X node."""

from collections.abc import Iterator

from assay.demo.hgx_h100.fabric_network import NET, PROC_HEAD, interface, proc_line
from assay.demo.hosts import answer, pack
from assay.demo.mi300x.fabric_rdma import address, netdev
from assay.model.evidence import Capture
from assay.probes import nccl_settings, network

FRONTEND = {"eno1np0": "0000:c6:00.0", "eno2np1": "0000:c6:00.1"}
NCCL_CONF = """\
NCCL_SOCKET_IFNAME=eno1np0
NCCL_IB_HCA=mlx5
NCCL_IB_GID_INDEX=3
NCCL_IB_TC=106
"""


def captures() -> Iterator[Capture]:
    """Everything under /sys/class/net, /proc/net/dev, the settings of NCCL."""
    files: dict[str, str] = {}
    for n in range(8):
        files |= interface(netdev(n), type=1, speed=400000, mtu=9000)
    for name in FRONTEND:
        files |= interface(name, type=1, speed=25000, mtu=1500)
    yield pack(network.INTERFACES, files)
    places = {netdev(n): address(n) for n in range(8)} | FRONTEND
    yield pack(
        network.DEVICES, {f"{NET}{name}/device": f"../../../{bdf}" for name, bdf in places.items()}
    )
    yield pack(
        network.DRIVERS,
        {
            f"{NET}{name}/device/driver": "../../../../bus/pci/drivers/"
            + ("bnxt_en" if name in FRONTEND else "mlx5_core")
            for name in places
        },
    )
    lines = "".join(map(proc_line, ["lo", *places]))
    yield pack(network.COUNTERS, {"/proc/net/dev": PROC_HEAD + lines})
    yield pack(nccl_settings.CONF, {"/etc/nccl.conf": NCCL_CONF})
    yield answer(nccl_settings.ENVIRONMENT, "", exit_code=1)
