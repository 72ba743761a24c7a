"""RDMA of the MI300X node: eight ConnectX-7 rails on 400 Gb/s Ethernet, RoCE v2."""

from collections.abc import Iterator

from assay.demo.hgx_h100.fabric_rdma import SYS, counters, roce_gids
from assay.demo.hosts import absent, pack
from assay.model.evidence import Capture
from assay.probes import ethernet_qos, rdma, rdma_sysfs

BUSES = ("1c", "2d", "49", "6c", "8c", "a6", "cc", "e8")
PRIORITY = 3  # of RoCE traffic


def netdev(n: int) -> str:
    """The network interface of mlx5_n."""
    return f"enp{int(BUSES[n], 16)}s0np0"


def captures() -> Iterator[Capture]:
    """Everything under /sys/class/infiniband and /dev/infiniband, and the ECN switches."""
    devices, ports = dict[str, str](), dict[str, str]()
    gids, counts = dict[str, str](), dict[str, str]()
    for n in range(8):
        device, port = f"{SYS}mlx5_{n}/", f"{SYS}mlx5_{n}/ports/1/"
        devices |= {
            device + "fw_ver": "28.43.8002\n",
            device + "hca_type": "MT4129\n",
            device + "board_id": "MT_0000000838\n",
            device + "node_type": "1: CA\n",
        }
        ports |= {
            port + "state": "4: ACTIVE\n",
            port + "phys_state": "5: LinkUp\n",
            port + "rate": "400 Gb/sec (4X NDR)\n",
            port + "link_layer": "Ethernet\n",
            port + "lid": "0x0\n",
            port + "sm_lid": "0x0\n",
        }
        gids |= dict(roce_gids(port, f"9e63:c0ff:fe51:{n:02x}00", f"0a64:{n:02x}0c", netdev(n)))
        counts |= dict(counters(port, 55_310_774_104 + 613 * n))
    yield pack(rdma_sysfs.DEVICES, devices)
    yield pack(rdma_sysfs.PORTS, ports)
    yield pack(rdma_sysfs.PKEYS, {f"{SYS}mlx5_{n}/ports/1/pkeys/0": "0xffff\n" for n in range(8)})
    yield pack(rdma_sysfs.GIDS, gids)
    yield pack(rdma_sysfs.PORT_COUNTERS, counts)
    yield pack(
        rdma_sysfs.PCI, {f"{SYS}mlx5_{n}/device": f"../../../{address(n)}" for n in range(8)}
    )
    yield absent(rdma_sysfs.PHYSFN)
    yield pack(
        rdma_sysfs.NETDEVS,
        {f"{SYS}mlx5_{n}/device/net/{netdev(n)}": "d 0755 0 0 - 0" for n in range(8)},
    )
    nodes = {f"/dev/infiniband/uverbs{n}": f"c 0666 0 0 231:{192 + n} 0" for n in range(8)}
    yield pack(rdma.NODES, nodes | {"/dev/infiniband/rdma_cm": "c 0666 0 0 10:122 0"})
    yield pack(ethernet_qos.ECN, dict(_ecn()))


def address(n: int) -> str:
    """The PCI address of mlx5_n."""
    return f"0000:{BUSES[n]}:00.0"


def _ecn() -> Iterator[tuple[str, str]]:
    for n in range(8):
        for side in ("roce_np", "roce_rp"):
            for priority in range(8):
                on = "1\n" if priority == PRIORITY else "0\n"
                yield f"/sys/class/net/{netdev(n)}/ecn/{side}/enable/{priority}", on
