"""Network interfaces and NCCL settings of the H100 node."""

from collections.abc import Iterator

from assay.demo.hgx_h100.fabric_rdma import RAILS, address, netdev
from assay.demo.hosts import answer, pack
from assay.model.evidence import Capture
from assay.probes import nccl_settings, network

NET = "/sys/class/net/"
PROC_HEAD = (
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop "
    "fifo colls carrier compressed\n"
)
NCCL_CONF = """\
# Defaults of this cluster; a job may override them in its environment
NCCL_SOCKET_IFNAME=bond0
NCCL_IB_HCA=mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7
NCCL_IB_QPS_PER_CONNECTION=2
"""


def captures() -> Iterator[Capture]:
    """Everything under /sys/class/net, /proc/net/dev, the settings of NCCL."""
    files: dict[str, str] = {}
    for n in range(8):
        files |= interface(netdev(n), type=32, speed=400000, mtu=4092)
    for name in ("eno1np0", "eno2np1"):
        files |= interface(name, type=1, speed=100000, mtu=9000, flags="0x1803")
    files |= interface("bond0", type=1, speed=200000, mtu=9000, device=False, flags="0x1403")
    yield pack(network.INTERFACES, files)
    yield pack(network.DEVICES, dict(_devices()))
    yield pack(network.DRIVERS, dict(_drivers()))
    names = ["lo", "eno1np0", "eno2np1", "bond0", *(netdev(n) for n in range(8))]
    yield pack(network.COUNTERS, {"/proc/net/dev": PROC_HEAD + "".join(map(proc_line, names))})
    yield pack(nccl_settings.CONF, {"/etc/nccl.conf": NCCL_CONF})
    yield answer(nccl_settings.ENVIRONMENT, "", exit_code=1)


def interface(
    name: str, *, type: int, speed: int, mtu: int, device: bool = True, flags: str = "0x1003"
) -> dict[str, str]:
    """The files of one interface that is up."""
    root = f"{NET}{name}/device/net/{name}/" if device else f"{NET}{name}/"
    return {
        root + "operstate": "up\n",
        root + "speed": f"{speed}\n",
        root + "mtu": f"{mtu}\n",
        root + "carrier": "1\n",
        root + "carrier_changes": "4\n",
        root + "carrier_up_count": "2\n",
        root + "carrier_down_count": "2\n",
        root + "duplex": "full\n",
        root + "type": f"{type}\n",
        root + "flags": f"{flags}\n",
    }


def proc_line(name: str) -> str:
    """A line of /proc/net/dev without errors."""
    return (
        f"{name:>6}: 918273645546 712345678    0    0    0     0          0    120394 "
        "817263544536 698765432    0    0    0     0       0          0\n"
    )


def _devices() -> Iterator[tuple[str, str]]:
    for n in range(10):
        yield f"{NET}{netdev(n)}/device", f"../../../{address(n)}"
    for name in ("eno1np0", "eno2np1"):
        yield f"{NET}{name}/master", "../../../../../virtual/net/bond0"


def _drivers() -> Iterator[tuple[str, str]]:
    for n in range(len(RAILS) + 2):
        yield f"{NET}{netdev(n)}/device/driver", "../../../../bus/pci/drivers/mlx5_core"
