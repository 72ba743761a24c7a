"""RDMA of the H100 node: eight NDR rails on InfiniBand, two 100 Gb/s Ethernet ports."""

from collections.abc import Iterator

from assay.demo.hosts import absent, pack
from assay.model.evidence import Capture
from assay.probes import ethernet_qos, rdma, rdma_sysfs

SYS = "/sys/class/infiniband/"
RAILS = ("18", "40", "4f", "5e", "9a", "c0", "ce", "dc")  # PCI buses of mlx5_0 to mlx5_7
FRONTEND = {8: ("3b:00.0", "eno1np0"), 9: ("3b:00.1", "eno2np1")}  # one card with two ports
PKEYS = ("0x8012", "0x7fff")  # the tenant's partition; limited in the default one
TABLE = 128  # P_Keys that a ConnectX-7 port holds
NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000\n"


def captures() -> Iterator[Capture]:
    """Everything under /sys/class/infiniband and /dev/infiniband."""
    yield pack(rdma_sysfs.DEVICES, dict(_devices()))
    yield pack(rdma_sysfs.PORTS, dict(_ports()))
    yield pack(rdma_sysfs.PKEYS, dict(_pkeys()))
    yield pack(rdma_sysfs.GIDS, dict(_gids()))
    yield pack(rdma_sysfs.PORT_COUNTERS, dict(_counters()))
    yield pack(
        rdma_sysfs.PCI,
        {f"{SYS}mlx5_{n}/device": f"../../../{address(n)}" for n in range(10)},
    )
    yield absent(rdma_sysfs.PHYSFN)
    yield pack(
        rdma_sysfs.NETDEVS,
        {f"{SYS}mlx5_{n}/device/net/{netdev(n)}": "d 0755 0 0 - 0" for n in range(10)},
    )
    yield pack(rdma.NODES, dict(_nodes()))
    yield absent(ethernet_qos.ECN)


def address(n: int) -> str:
    """The PCI address of mlx5_n."""
    return f"0000:{RAILS[n]}:00.0" if n < 8 else f"0000:{FRONTEND[n][0]}"


def netdev(n: int) -> str:
    """The network interface of mlx5_n."""
    return f"ibp{int(RAILS[n], 16)}s0" if n < 8 else FRONTEND[n][1]


def _devices() -> Iterator[tuple[str, str]]:
    for n in range(10):
        rail = n < 8
        yield f"{SYS}mlx5_{n}/fw_ver", "28.43.8002\n" if rail else "22.43.8002\n"
        yield f"{SYS}mlx5_{n}/hca_type", "MT4129\n" if rail else "MT4125\n"
        yield f"{SYS}mlx5_{n}/board_id", "MT_0000000838\n" if rail else "MT_0000000359\n"
        yield f"{SYS}mlx5_{n}/node_type", "1: CA\n"


def _ports() -> Iterator[tuple[str, str]]:
    for n in range(10):
        rail, port = n < 8, f"{SYS}mlx5_{n}/ports/1/"
        yield port + "state", "4: ACTIVE\n"
        yield port + "phys_state", "5: LinkUp\n"
        yield port + "rate", "400 Gb/sec (4X NDR)\n" if rail else "100 Gb/sec (2X HDR)\n"
        yield port + "link_layer", "InfiniBand\n" if rail else "Ethernet\n"
        yield port + "lid", f"0x{0x2C1 + 8 * n:x}\n" if rail else "0x0\n"
        yield port + "sm_lid", "0x1\n" if rail else "0x0\n"


def _pkeys() -> Iterator[tuple[str, str]]:
    for n in range(8):
        for at in range(TABLE):
            key = PKEYS[at] if at < len(PKEYS) else "0x0000"
            yield f"{SYS}mlx5_{n}/ports/1/pkeys/{at}", f"{key}\n"
    for n in FRONTEND:
        yield f"{SYS}mlx5_{n}/ports/1/pkeys/0", "0xffff\n"  # every RoCE port holds this one


def _gids() -> Iterator[tuple[str, str]]:
    for n in range(8):
        port = f"{SYS}mlx5_{n}/ports/1/"
        for at in range(8):
            yield (
                f"{port}gids/{at}",
                f"fe80:0000:0000:0000:9c63:c003:00ab:{n:02x}5a\n" if at == 0 else NO_GID,
            )
        yield f"{port}gid_attrs/types/0", "IB/RoCE v1\n"
        yield f"{port}gid_attrs/ndevs/0", f"{netdev(n)}\n"
    for n, (_, interface) in FRONTEND.items():
        yield from roce_gids(f"{SYS}mlx5_{n}/ports/1/", f"9e63:c0ff:feab:{n:02x}01", "", interface)


def roce_gids(port: str, local: str, ipv4: str, interface: str) -> Iterator[tuple[str, str]]:
    """The GID table of a RoCE port: link-local and, with *ipv4* ("0a10:0105"), IPv4 addresses."""
    table = [f"fe80:0000:0000:0000:{local}"] * 2
    table += [f"0000:0000:0000:0000:0000:ffff:{ipv4}"] * 2 if ipv4 else []
    for at in range(16):
        yield f"{port}gids/{at}", f"{table[at]}\n" if at < len(table) else NO_GID
    for at in range(len(table)):
        yield f"{port}gid_attrs/types/{at}", "RoCE v2\n" if at % 2 else "IB/RoCE v1\n"
        yield f"{port}gid_attrs/ndevs/{at}", f"{interface}\n"


def _counters() -> Iterator[tuple[str, str]]:
    for n in range(10):
        yield from counters(f"{SYS}mlx5_{n}/ports/1/", 81_920_417_663 + 977 * n)


def counters(port: str, packets: int) -> Iterator[tuple[str, str]]:
    """The counters of a sound port that has moved *packets*."""
    for name in rdma_sysfs.COUNTERS:
        moved = packets if name.endswith("_packets") else 0
        yield f"{port}counters/{name}", f"{1482 if name == 'port_xmit_wait' else moved}\n"
    for name in rdma_sysfs.HW_COUNTERS:
        yield f"{port}hw_counters/{name}", "0\n"


def _nodes() -> Iterator[tuple[str, str]]:
    yield "/dev/infiniband/rdma_cm", "c 0666 0 0 10:122 0"
    for n in range(10):
        yield f"/dev/infiniband/uverbs{n}", f"c 0666 0 0 231:{192 + n} 0"
    for n in range(8):
        yield f"/dev/infiniband/umad{n}", f"c 0600 0 0 231:{n} 0"
        yield f"/dev/infiniband/issm{n}", f"c 0600 0 0 231:{64 + n} 0"
