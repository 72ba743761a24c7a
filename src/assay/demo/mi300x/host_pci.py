"""The PCI tree of the MI300X node: a Gen5 switch for each GPU and its disk, and the adapters."""

from collections.abc import Iterator

from assay.demo.mi300x.accelerators import PLACES
from assay.demo.mi300x.fabric_network import FRONTEND
from assay.demo.mi300x.fabric_rdma import address
from assay.demo.pci_tree import Part, Tree
from assay.model.evidence import Capture

GPU = Part("1002", "74A1", "120000", "amdgpu", 5, 16)
RAIL = Part("15B3", "1021", "20000", "mlx5_core", 5, 16)
ETHERNET = Part("14E4", "16D7", "20000", "bnxt_en", 3, 8)
DISK = Part("144D", "A80A", "10802", "nvme", 4, 4)
PORT = Part("1000", "C030", "60400", "pcieport", 5, 16)


def captures() -> Iterator[Capture]:
    """The tree as sysfs shows it."""
    tree = Tree(PORT)
    for at, place in enumerate(PLACES):
        bus = int(place[5:7], 16)
        below = ((place, GPU, 1 + at), (f"0000:{bus + 1:02x}:01.0", DISK, 17 + at))
        tree.behind_switch(bus - 3, below, numa=at // 4)
    for at in range(8):
        if address(at) not in PLACES:
            tree.at_root(address(at), RAIL, numa=at // 4)
    for bdf in FRONTEND.values():
        tree.at_root(bdf, ETHERNET, numa=1)
    for bus in (0x03, 0x04):
        tree.at_root(f"0000:{bus:02x}:00.0", DISK)
    yield from tree.captures()
