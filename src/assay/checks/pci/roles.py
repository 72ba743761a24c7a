"""Which PCI functions matter on a GPU node, and where they hang in the tree."""

from collections.abc import Iterator, Sequence

from assay.model.facts.pci import PciDevice

NVIDIA, AMD = "10de", "1002"
DISPLAY = "0300"  # a graphics card: laptops and desktops have one too
# PCI classes of compute devices by maker: 3D controllers, display controllers without a monitor,
# processing accelerators, system peripherals (Neuron). Ids and classes are those of pci.ids.
_COMPUTE = {
    NVIDIA: ("0302",),
    AMD: ("1200",),
    "1da3": ("1200",),  # Habana
    "19e5": ("1200",),  # Huawei
    "1ae0": ("1200", "0880"),  # Google
}
_AMD_INSTINCT = ("738c", "738e", "7408", "740c", "740f")  # MI100, MI200: class 0380
_NEURON = ("7064", "7164", "7264", "7364")  # Amazon's devices share 1d0f with its NICs and disks
GIVEN_AWAY = frozenset({"vfio-pci", "pci-stub", "pciback", "xen-pciback"})


def is_compute(device: PciDevice) -> bool:
    """True for an accelerator of a data centre."""
    kind = device.class_id[:4]
    if device.vendor_id == AMD and kind == "0380":
        return device.device_id in _AMD_INSTINCT
    if device.vendor_id == "1d0f":
        return device.device_id in _NEURON
    return kind in _COMPUTE.get(device.vendor_id, ())


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
