"""Which PCI functions matter on a GPU node, and where they hang in the tree."""

from collections.abc import Iterator, Sequence

from assay.kit.accelerator import maker
from assay.model.facts.pci import PciDevice

NVIDIA, AMD = "10de", "1002"
DISPLAY = "0300"  # a graphics card: laptops and desktops have one too
GIVEN_AWAY = frozenset({"vfio-pci", "nvgrace-gpu-vfio-pci", "pci-stub", "pciback", "xen-pciback"})


def is_compute(device: PciDevice) -> bool:
    """True for an accelerator of a data centre."""
    return maker(device) is not None


def accelerators(devices: Sequence[PciDevice]) -> list[PciDevice]:
    """Accelerators, and NVIDIA graphics cards where there are several of them."""
    cards = [d for d in devices if d.vendor_id == NVIDIA and d.class_id.startswith(DISPLAY)]
    compute = [d for d in devices if is_compute(d)]
    return compute + cards if compute or len(cards) > 1 else []


def network_adapters(devices: Sequence[PciDevice]) -> list[PciDevice]:
    """Physical Ethernet and InfiniBand adapters."""
    return [
        d for d in devices if d.class_id[:4] in ("0200", "0207") and d.virtual_function is not True
    ]


def disks(devices: Sequence[PciDevice]) -> list[PciDevice]:
    """NVMe disks."""
    return [d for d in devices if d.class_id.startswith("0108")]


def above(device: PciDevice, devices: Sequence[PciDevice]) -> Iterator[PciDevice]:
    """The bridges above *device*, nearest first."""
    by_bdf = {d.bdf: d for d in devices}
    passed: set[str] = set()
    bridge = by_bdf.get(device.upstream)
    while bridge is not None and bridge.bdf not in passed:
        passed.add(bridge.bdf)
        yield bridge
        bridge = by_bdf.get(bridge.upstream)


def switch_uplinks(devices: Sequence[PciDevice]) -> list[PciDevice]:
    """Upstream ports of the PCIe switches above accelerators.

    A root port has no bridge above it, the upstream port of a switch has one, each of its
    downstream ports two, and so on down: upstream ports are those with an odd number.
    """
    found: dict[str, PciDevice] = {}
    for device in accelerators(devices):
        chain = list(above(device, devices))
        for nearest, bridge in enumerate(chain):
            if (len(chain) - 1 - nearest) % 2 == 1:
                found[bridge.bdf] = bridge
    return list(found.values())


def named(device: PciDevice) -> str:
    """How findings name a function: by its place, as `lspci -s` takes it."""
    return f"pci {device.bdf}"
