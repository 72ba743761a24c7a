"""Declare a vendor of accelerators and the parts that it sells."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One accelerator model and what a sound one reports.

    ``product`` must match the whole product string that the vendor's tool prints (GH200 is not
    H200). Numbers are None where no source gives one. Memory is GiB as the driver reports it,
    links are scale-up links (NVLink, xGMI, ...) per accelerator, power is watts.
    """

    name: str
    product: re.Pattern[str]
    memory_gib: float | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    links: int | None = None
    link_gbytes_per_second: float | None = None  # per link and direction, GB/s
    per_node: tuple[int, ...] = ()  # usual numbers of accelerators in one node
    idle_watts: float | None = None  # above this, an idle one is suspicious
    hot_celsius: float | None = None  # at or above this, it is too hot
    source: str = ""


@dataclass(frozen=True, slots=True)
class Vendor:
    """A maker of accelerators: how its devices show on a node, and its parts."""

    id: str
    name: str
    pci_vendor: str  # four hex digits
    pci_classes: tuple[str, ...]  # prefixes of the six-digit PCI class, such as "0302"
    modules: tuple[str, ...]  # kernel modules that drive the accelerators
    nodes: tuple[str, ...]  # globs of device nodes
    tool: str  # the command that a user would run to see them
    parts: tuple[Part, ...]

    def part(self, product: str) -> Part | None:
        """The part whose whole product string is *product*; None when it is not in the table."""
        return next((p for p in self.parts if p.product.fullmatch(product.strip())), None)


registry: dict[str, Vendor] = {}


def vendor(declared: Vendor) -> Vendor:
    """Register *declared*; one file a vendor."""
    if declared.id in registry:
        raise ValueError(f"two vendors are called {declared.id!r}")
    registry[declared.id] = declared
    return declared
