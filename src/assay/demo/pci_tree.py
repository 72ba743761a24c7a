"""The PCI tree of a reference host: eight GPUs, each behind a switch with its NIC and its disk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.demo.hosts import pack
from assay.kit.pack import Entry, dump
from assay.model.evidence import Capture
from assay.probes import pci, pci_iommu

GENERATIONS = {3: "8.0", 4: "16.0", 5: "32.0"}


@dataclass(frozen=True, slots=True)
class Part:
    """What sits in a slot: ids, class, driver and the link that it can have."""

    vendor: str
    device: str
    kind: str  # PCI class as uevent prints it, without leading zeros
    driver: str
    generation: int
    width: int
    idle_generation: int = 0  # to which an idle GPU slows its link down


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the tree; ``folder`` is its path below /sys/devices."""

    bdf: str
    folder: str
    part: Part
    numa: int
    group: int


@dataclass(slots=True)
class Tree:
    """All functions of a host, built from its root ports down."""

    bridge: Part
    functions: list[Function] = field(default_factory=list)

    def behind_switch(self, root: int, below: Sequence[tuple[str, Part, int]], numa: int) -> None:
        """A root port on bus *root*, a switch below it, and behind it (address, part, group)."""
        folder = f"pci0000:{root:02x}"
        for at, name in enumerate((f"0000:{root:02x}:01.0", f"0000:{root + 1:02x}:00.0")):
            folder = self.add(folder, name, self.bridge, numa, 40 + root + at)
        for at, (bdf, part, group) in enumerate(below):
            port = f"0000:{root + 2:02x}:{4 * at + 4:02x}.0"
            branch = self.add(folder, port, self.bridge, numa, 300 + 4 * root + at)
            self.add(branch, bdf, part, numa, group)

    def at_root(self, bdf: str, part: Part, numa: int = 0) -> None:
        """A part below a root port of its own."""
        bus, slot = int(bdf[5:7], 16), int(bdf[8:10], 16)
        port = f"0000:00:{bus % 32:02x}.{slot % 8}"
        folder = self.add("pci0000:00", port, self.bridge, numa, 1000 + 2 * bus)
        self.add(folder, bdf, part, numa, 1001 + 2 * bus)

    def add(self, parent: str, bdf: str, part: Part, numa: int, group: int) -> str:
        """Hang *part* below the folder *parent*; its own folder."""
        folder = f"{parent}/{bdf}"
        self.functions.append(Function(bdf, folder, part, numa, group))
        return folder

    def captures(self) -> Iterator[Capture]:
        """What the kernel shows of this tree."""
        functions: dict[str, str] = {}
        links: dict[str, str] = {}
        errors: dict[str, str] = {}
        for each in self.functions:
            functions |= {f"{pci.ROOT}{each.bdf}/{k}": v for k, v in _attributes(each).items()}
            links[f"{pci.ROOT}{each.bdf}/iommu_group"] = (
                f"../../../../kernel/iommu_groups/{each.group}"
            )
            errors |= {f"{pci.ROOT}{each.bdf}/{k}": v for k, v in _errors().items()}
        yield pack(pci.FUNCTIONS, functions)
        yield pack(
            pci.TREE,
            {f"{pci.ROOT}{f.bdf}": f"../../../devices/{f.folder}" for f in self.functions},
        )
        yield pack(pci.BELONGS, links)
        yield pack(pci.ERRORS, errors)
        ports = sorted(f.bdf for f in self.functions if f.part is self.bridge)
        config = _port_config(self.bridge)
        entries = [Entry(f"{pci.PORT_ROOT}{bdf}/config", config) for bdf in ports]
        yield Capture(pci.PORTS.source, dump(entries))
        groups = sorted({f.group for f in self.functions})
        yield pack(pci_iommu.MODES, {f"{pci_iommu.ROOT}{g}/type": "identity\n" for g in groups})


def _attributes(each: Function) -> dict[str, str]:
    part = each.part
    now, most = GENERATIONS[part.idle_generation or part.generation], GENERATIONS[part.generation]
    driver = f"DRIVER={part.driver}\n" if part.driver else ""
    return {
        "uevent": f"{driver}PCI_CLASS={part.kind}\nPCI_ID={part.vendor}:{part.device}\n"
        f"PCI_SUBSYS_ID={part.vendor}:0001\nPCI_SLOT_NAME={each.bdf}\n",
        "numa_node": f"{each.numa}\n",
        "current_link_speed": f"{now} GT/s PCIe\n",
        "max_link_speed": f"{most} GT/s PCIe\n",
        "current_link_width": f"{part.width}\n",
        "max_link_width": f"{part.width}\n",
    }


def _errors() -> dict[str, str]:
    names = ("Undefined", "DLP", "SDES", "TLP", "FCP", "CmpltTO", "CmpltAbrt", "UnxCmplt", "RxOF",
             "MalfTLP", "ECRC", "UnsupReq", "ACSViol", "UncorrIntErr")  # fmt: skip
    grave = "".join(f"{name} 0\n" for name in names)
    mild = "".join(f"{name} 0\n" for name in ("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout"))
    return {
        "aer_dev_fatal": grave + "TOTAL_ERR_FATAL 0\n",
        "aer_dev_nonfatal": grave + "TOTAL_ERR_NONFATAL 0\n",
        "aer_dev_correctable": mild + "TOTAL_ERR_COR 0\n",
    }


def _port_config(bridge: Part) -> bytes:
    """4 KiB of a port's configuration space: error reporting, then access control, all off."""
    space = bytearray(4096)
    space[0:2] = int(bridge.vendor, 16).to_bytes(2, "little")
    space[2:4] = int(bridge.device, 16).to_bytes(2, "little")
    space[0x100:0x104] = (0x0001 | 2 << 16 | 0x148 << 20).to_bytes(4, "little")
    space[0x148:0x14C] = (pci.ACS_ID | 1 << 16).to_bytes(4, "little")
    space[0x14C:0x150] = b"\x5f\x00\x00\x00"  # what the port can do, and what is turned on
    return bytes(space)
