"""The PCI tree: every function, its link, its place and its errors."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.probe import probe
from assay.kit.quantity import number
from assay.kit.reading import Reading, files, links
from assay.kit.seen import Seen
from assay.model.evidence import Status
from assay.model.facts.pci import PciDevice
from assay.probes import pci_lspci
from assay.probes.kernel_values import by_folder, whole
from assay.probes.pci_lspci import LSPCI

ROOT = "/sys/bus/pci/devices/"
FUNCTIONS = files(
    ROOT + "*/{uevent,numa_node,current_link_speed,current_link_width,max_link_speed,"
    "max_link_width}",
    name="pci-functions",
)
TREE = links(ROOT + "*", name="pci-tree")
BELONGS = links(ROOT + "*/{iommu_group,physfn}", name="pci-links")
ERRORS = files(ROOT + "*/{aer_dev_fatal,aer_dev_nonfatal,aer_dev_correctable}", name="pci-errors")
# Access Control Services sit in the extended configuration space, which only root may read.
# Ports alone have them in a way that matters: 4 KiB for each port, not for each function.
PORT_ROOT = "/sys/bus/pci/drivers/pcieport/"
PORTS = files(PORT_ROOT + "*/config", name="pci-ports")

_PLACE = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
BDF = re.compile(_PLACE)
_TOTAL = re.compile(r"^TOTAL_ERR_\w+ (\d{1,18})$", re.MULTILINE)
_SPEED = r"\d{1,3}(?:\.\d)? GT/s.*|Unknown.*"
_FORMS = {
    "uevent": r"(?:\w+=.*\n)*PCI_ID=[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{4,8}(?:\n\w+=.*)*",
    "numa_node": r"-?\d{1,5}",
    "current_link_speed": _SPEED,
    "max_link_speed": _SPEED,
    "current_link_width": r"\d{1,3}",
    "max_link_width": r"\d{1,3}",
    "iommu_group": r"\S*/\d{1,9}",
    "physfn": rf"\S*{_PLACE}",
    "aer_dev_fatal": r"(?:[\w ]+ \d{1,18}\n)*TOTAL_ERR_FATAL \d{1,18}",
    "aer_dev_nonfatal": r"(?:[\w ]+ \d{1,18}\n)*TOTAL_ERR_NONFATAL \d{1,18}",
    "aer_dev_correctable": r"(?:[\w ]+ \d{1,18}\n)*TOTAL_ERR_COR \d{1,18}",
}
CONFIG_SIZES = (64, 256, 4096)  # of a configuration space: for users, of PCI, of PCI Express
UNKNOWN_WIDTH = 255  # the kernel's word for "no such register"
ALL_ONES_WIDTH = 63  # six bits of ones: the device does not answer any more
# PCI Express Base Specification, Access Control Services extended capability.
ACS_ID, ACS_CONTROL = 0x000D, 6
ACS_REDIRECT = 0x01 | 0x04 | 0x08  # source validation, request redirect, completion redirect


@probe("pci.devices", reads=[FUNCTIONS, TREE, BELONGS, ERRORS, PORTS, LSPCI])
def devices(seen: Seen) -> Iterator[PciDevice]:
    """Every PCI function of this machine."""
    if seen.capture(LSPCI) is not None:
        yield from pci_lspci.devices(seen.text(LSPCI))
        return
    functions = by_folder(seen.values(FUNCTIONS, _FORMS), ROOT)
    above = {path.removeprefix(ROOT): _bridge(seen, path, to) for path, to in _more(seen, TREE)}
    belongs = by_folder(_more(seen, BELONGS), ROOT)
    errors = by_folder(_more(seen, ERRORS), ROOT)
    redirect = dict(_redirects(seen))
    for bdf in sorted(functions):
        if BDF.fullmatch(bdf) and "uevent" in functions[bdf]:
            yield _device(
                bdf,
                functions[bdf],
                belongs.get(bdf, {}),
                errors.get(bdf, {}),
                above.get(bdf, ""),
                redirect.get(bdf),
            )
    for reading in (TREE, BELONGS, ERRORS, PORTS):  # what was lost is said, after what is known
        if not seen.absent(reading):
            seen.answered(reading)


def _tried(seen: Seen, reading: Reading) -> bool:
    """Whether a reading that is not needed to list the devices was answered."""
    found = seen.capture(reading)
    return found is not None and found.status is Status.ANSWERED


def _more(seen: Seen, reading: Reading) -> Iterator[tuple[str, str]]:
    if _tried(seen, reading):
        yield from seen.values(reading, _FORMS)


def _redirects(seen: Seen) -> Iterator[tuple[str, bool | None]]:
    """Ports, and whether they redirect peer traffic."""
    for entry in seen.entries(PORTS) if _tried(seen, PORTS) else ():
        if entry.status == Status.ANSWERED and len(entry.data) in CONFIG_SIZES:
            yield entry.path.removeprefix(PORT_ROOT).partition("/")[0], acs_redirect(entry.data)
        else:
            seen.lose(entry.path, f"{entry.status}, {len(entry.data)} bytes")


def _device(
    bdf: str,
    said: Mapping[str, str],
    belongs: Mapping[str, str],
    errors: Mapping[str, str],
    upstream: str,
    redirect: bool | None,
) -> PciDevice:
    uevent = dict(line.split("=", 1) for line in said.get("uevent", "").splitlines() if "=" in line)
    vendor, _, device = uevent.get("PCI_ID", "").lower().partition(":")
    group = belongs.get("iommu_group", "")
    return PciDevice(
        bdf=bdf,
        vendor_id=vendor,
        device_id=device,
        class_id=uevent.get("PCI_CLASS", "").lower().zfill(6),
        driver=uevent.get("DRIVER"),
        speed=number(said.get("current_link_speed")),
        speed_max=number(said.get("max_link_speed")),
        width=_width(said.get("current_link_width")),
        width_max=_width(said.get("max_link_width")),
        numa_node=whole(said.get("numa_node")),
        iommu_group=whole(group.rpartition("/")[2]),
        acs_redirect=redirect,
        virtual_function="physfn" in belongs,
        upstream=upstream,
        aer_fatal=_total(errors.get("aer_dev_fatal")),
        aer_nonfatal=_total(errors.get("aer_dev_nonfatal")),
        aer_correctable=_total(errors.get("aer_dev_correctable")),
    )


def _width(text: str | None) -> int | None:
    """Lanes; 0 for a device whose link registers read as all ones."""
    lanes = whole(text)
    if lanes is None or lanes == UNKNOWN_WIDTH:
        return None
    return 0 if lanes == ALL_ONES_WIDTH else lanes


def _total(text: str | None) -> int | None:
    found = _TOTAL.search(text or "")
    return int(found.group(1)) if found else None


def _bridge(seen: Seen, path: str, target: str) -> str:
    """The function above the one whose folder is *target*; "" right below the root."""
    if not target.endswith(path.rpartition("/")[2]):
        seen.lose(path, f"links to {target[:60]!r}")
        return ""
    folders = [part for part in target.split("/") if BDF.fullmatch(part)]
    return folders[-2] if len(folders) > 1 else ""


def acs_redirect(config: bytes) -> bool | None:
    """Does a port redirect or validate peer traffic? None when its space was not readable."""
    if len(config) <= 256:
        return None
    at, seen = 0x100, set[int]()
    while at and at not in seen:
        seen.add(at)
        header = int.from_bytes(config[at : at + 4], "little")
        if len(config) < at + 8 or header == 0xFFFFFFFF:
            return None
        if header & 0xFFFF == ACS_ID:
            control = int.from_bytes(config[at + ACS_CONTROL : at + ACS_CONTROL + 2], "little")
            return bool(control & ACS_REDIRECT)
        at = header >> 20 & ~3
        if at and at < 0x100:
            return None
    return False
