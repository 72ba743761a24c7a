"""The PCI tree of the H100 node: a Gen5 switch for each GPU, its ConnectX-7 and its disk."""

from collections.abc import Iterator

from assay.demo.hgx_h100.fabric_rdma import FRONTEND, RAILS
from assay.demo.pci_tree import Part, Tree
from assay.model.evidence import Capture

GPU = Part("10DE", "2330", "30200", "nvidia", 5, 16)
NVSWITCH = Part("10DE", "22A3", "68000", "nvidia", 3, 2)
RAIL = Part("15B3", "1021", "20700", "mlx5_core", 5, 16)
ETHERNET = Part("15B3", "101D", "20000", "mlx5_core", 4, 16)
DISK = Part("144D", "A80A", "10802", "nvme", 4, 4)
PORT = Part("1000", "C030", "60400", "pcieport", 5, 16)
# Behind each switch the adapter comes first, then a disk, then the GPU.
GPU_ADDRESSES = tuple(f"0000:{int(rail, 16) + 3:02x}:00.0" for rail in RAILS)


def captures() -> Iterator[Capture]:
    """The tree as sysfs shows it."""
    tree = Tree(PORT)
    for at, (rail, gpu) in enumerate(zip(RAILS, GPU_ADDRESSES, strict=True)):
        bus = int(rail, 16)
        below = (
            (f"0000:{rail}:00.0", RAIL, 9 + at),
            (f"0000:{bus + 1:02x}:00.0", DISK, 17 + at),
            (gpu, GPU, 1 + at),
        )
        tree.behind_switch(bus - 3, below, numa=at // 4)
    for bus in (0x07, 0x08, 0x09, 0x0A):
        tree.at_root(f"0000:{bus:02x}:00.0", NVSWITCH)
    for address, _ in FRONTEND.values():
        tree.at_root(f"0000:{address}", ETHERNET)
    for bus in (0x03, 0x04):
        tree.at_root(f"0000:{bus:02x}:00.0", DISK)
    yield from tree.captures()
