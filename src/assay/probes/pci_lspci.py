"""What a saved `lspci` says, however verbose it was."""

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.kit.quantity import number
from assay.kit.reading import saved
from assay.kit.seen import Unread
from assay.model.facts.pci import PciDevice
from assay.probes.kernel_values import plain_lines, whole

LSPCI = saved(
    "lspci",
    looks_like=r"^(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] "
    r"(?:\"?[A-Z0-9][A-Za-z][^:\n]+: |[0-9a-f]{4}: [0-9a-f]{4}:)[^\n]*$",
)
_HEAD = re.compile(
    r"(?:(?P<domain>[0-9a-f]{4,8}):)?(?P<rest>[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?P<what>.+)"
)
_NUMERIC = re.compile(r"(?P<cls>[0-9a-f]{4}): (?P<vendor>[0-9a-f]{4}):(?P<device>[0-9a-f]{4})\b.*")
_NAMED = re.compile(r"(?P<kind>[^:\[]+?)(?: \[(?P<cls>[0-9a-f]{4})\])?: (?P<name>.*)")
_IDS = re.compile(r" ?\[(?P<vendor>[0-9a-f]{4}):(?P<device>[0-9a-f]{4})\]")
_TAIL = re.compile(r" \((?:rev [0-9a-f]{2}|prog-if [^)]*)\)")
_PROG_IF = re.compile(r"\(prog-if ([0-9a-f]{2})\b")
_LINK = re.compile(r"Lnk(Cap|Sta):.*?Speed ([^,(]*).*?Width x?(\d{1,3})")
_BUS = re.compile(r"Bus: primary=\w+, secondary=([0-9a-f]{2}),")
_ACS = re.compile(r"ACSCtl:\s*(.*)")
# The words of pci.ids for the classes that the rules ask about.
_CLASSES = {
    "Non-Volatile memory controller": "0108", "Ethernet controller": "0200",
    "Infiniband controller": "0207", "Network controller": "0280",
    "VGA compatible controller": "0300", "3D controller": "0302", "Display controller": "0380",
    "Host bridge": "0600", "PCI bridge": "0604", "Bridge": "0680",
    "Processing accelerators": "1200",
}  # fmt: skip
_VENDORS = {"NVIDIA Corporation": "10de", "Mellanox Technologies": "15b3",
            "Habana Labs Ltd.": "1da3"}  # fmt: skip
LOST = "rev ff"  # all registers read as ones


def devices(text: str) -> Iterator[PciDevice]:
    """Every function that the text shows."""
    found: list[PciDevice] = []
    bridges: dict[tuple[str, str], str] = {}
    for line in plain_lines(text):
        head = _HEAD.fullmatch(line)
        if head:
            bdf = f"{head['domain'] or '0000'}:{head['rest']}"
            if (device := _from_head(bdf, head["what"])) is not None:
                found.append(device)
        elif found and line[:1].isspace():
            if bridge := _BUS.search(line):
                bridges[found[-1].bdf.split(":")[0], bridge.group(1)] = found[-1].bdf
            found[-1] = _with(found[-1], line.strip())
    if not found:
        raise Unread("`lspci` shows no devices")
    for device in found:
        domain, bus, _ = device.bdf.split(":")
        yield replace(device, upstream=bridges.get((domain, bus), ""))


def _from_head(bdf: str, what: str) -> PciDevice | None:
    width = 0 if LOST in what else None
    if numeric := _NUMERIC.fullmatch(what):
        return PciDevice(bdf, numeric["vendor"], numeric["device"], numeric["cls"], width=width)
    named = _NAMED.fullmatch(what)
    if named is None:
        return None
    prog_if = _PROG_IF.search(what)
    name = _TAIL.sub("", named["name"])
    ids = list(_IDS.finditer(name))
    name = _IDS.sub("", name).strip()
    kind = named["cls"] or _CLASSES.get(named["kind"], "")
    return PciDevice(
        bdf=bdf,
        vendor_id=ids[-1]["vendor"] if ids else _vendor(name),
        device_id=ids[-1]["device"] if ids else "",
        class_id=kind + (prog_if.group(1) if prog_if and kind else ""),
        name=name,
        width=width,
        virtual_function=True if "Virtual Function" in name else None,
    )


def _vendor(name: str) -> str:
    return next((id for start, id in _VENDORS.items() if name.startswith(start)), "")


def _with(device: PciDevice, line: str) -> PciDevice:
    """*device* with what one indented line adds."""
    if link := _LINK.match(line):
        speed, width = number(link.group(2)), whole(link.group(3))
        if link.group(1) == "Cap":
            return replace(device, speed_max=speed, width_max=width)
        return replace(device, speed=speed, width=width if device.width is None else device.width)
    if control := _ACS.match(line):
        on = any(f"{bit}+" in control.group(1) for bit in ("SrcValid", "ReqRedir", "CmpltRedir"))
        return replace(device, acs_redirect=on)
    name, colon, value = line.partition(":")
    value = value.strip()
    match name if colon else "":
        case "NUMA node":
            device = replace(device, numa_node=whole(value))
        case "IOMMU group":
            device = replace(device, iommu_group=whole(value))
        case "Kernel driver in use":
            device = replace(device, driver=value)
    return device
