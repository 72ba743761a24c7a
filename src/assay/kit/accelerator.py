"""Declare a vendor of accelerators and the parts that it sells."""

import re
from dataclasses import dataclass

from assay.model.facts.pci import PciDevice


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
    """A maker of accelerators: how its devices show on a node, and its parts.

    A function of the PCI bus is one of its accelerators by class, or by device id where other
    things share the class.
    """

    id: str
    name: str
    pci_vendor: str  # four hex digits
    pci_classes: tuple[str, ...]  # prefixes of the six-digit PCI class, such as "0302"
    pci_devices: tuple[str, ...]  # device ids, four hex digits
    modules: tuple[str, ...]  # kernel modules that drive the accelerators
    nodes: tuple[str, ...]  # globs of device nodes
    tool: str  # the command that a user would run to see them
    parts: tuple[Part, ...]
    drivers: tuple[str, ...] = ()  # as the kernel calls them on PCI, where not like the modules

    def made(self, device: PciDevice) -> bool:
        """True for one of its accelerators for data centres."""
        listed = device.class_id.startswith(self.pci_classes) if self.pci_classes else False
        return device.vendor_id == self.pci_vendor and (
            listed or device.device_id in self.pci_devices
        )

    def drives(self, driver: str) -> bool:
        """True for the name of a driver by which its accelerators compute."""
        return driver in self.modules or driver in self.drivers

    def part(self, product: str) -> Part | None:
        """The part whose whole product string is *product*; None when it is not in the table."""
        return next((p for p in self.parts if p.product.fullmatch(product.strip())), None)


registry: dict[str, Vendor] = {}


def maker(device: PciDevice) -> Vendor | None:
    """Who made this accelerator for data centres; None when it is none."""
    return next((known for known in registry.values() if known.made(device)), None)


def vendor(declared: Vendor) -> Vendor:
    """Register *declared*; one file a vendor."""
    if declared.id in registry:
        raise ValueError(f"two vendors are called {declared.id!r}")
    registry[declared.id] = declared
    return declared
