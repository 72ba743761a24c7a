"""Who built the machine, which firmware it has, and is it a machine at all?"""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files, listing
from assay.kit.seen import Seen, Unread
from assay.model.facts.dmi import Machine, Virtualization
from assay.model.facts.memory import MemoryModule
from assay.probes import dmi_table
from assay.probes.cpu import CPUINFO, fields, head
from assay.probes.dmi_table import DMIDECODE
from assay.probes.mounts import MOUNTINFO, in_container, root_of

ROOT = "/sys/class/dmi/id/"
DMI = files(
    ROOT + "{sys_vendor,product_name,board_vendor,board_name,bios_vendor,bios_version,bios_date,"
    "chassis_vendor}",
    name="dmi",
)
_FORMS = {"bios_date": r"[\d/. -]{6,12}|"}  # mm/dd/yyyy by the SMBIOS specification
CONTAINER = files("/run/systemd/container", name="container")
CONTAINER_MARKS = listing("/{.dockerenv,run/.containerenv}", name="container-marks")

# System vendors and products by which hypervisors name the machines that they make up.
_HYPERVISORS = (
    (re.compile(r"QEMU|KVM|Bochs|KubeVirt|OpenStack|RHEV|oVirt|Nutanix|CloudStack", re.I), "KVM"),
    (re.compile(r"VMware", re.I), "VMware"),
    (re.compile(r"Microsoft Corporation.*Virtual Machine", re.I), "Hyper-V"),
    (re.compile(r"innotek|VirtualBox", re.I), "VirtualBox"),
    (re.compile(r"Parallels", re.I), "Parallels"),
    (re.compile(r"\bXen\b", re.I), "Xen"),
    (re.compile(r"Google Compute Engine", re.I), "Google"),
    (re.compile(r"cloud-hypervisor", re.I), "Cloud Hypervisor"),
    (re.compile(r"Amazon EC2(?!.*\.metal)", re.I), "Amazon EC2"),
    (re.compile(r"Alibaba Cloud ECS(?!.*Bare)", re.I), "Alibaba Cloud"),
)


@probe("system.dmi", reads=[DMI, DMIDECODE])
def machine(seen: Seen) -> Iterator[Machine]:
    """The machine's maker, product and firmware."""
    if seen.capture(DMIDECODE) is not None:
        yield dmi_table.machine(seen.text(DMIDECODE))
        return
    said = {path.removeprefix(ROOT): text for path, text in seen.values(DMI, _FORMS)}
    if not any(said.values()):
        if not seen.absent(DMI):
            raise Unread(f"the firmware tells nothing about itself under {ROOT}")
        return
    yield Machine(
        vendor=said.get("sys_vendor", ""),
        product=said.get("product_name", ""),
        board_vendor=said.get("board_vendor", ""),
        board=said.get("board_name", ""),
        bios_vendor=said.get("bios_vendor", ""),
        bios_version=said.get("bios_version", ""),
        bios_date=said.get("bios_date", ""),
        chassis=said.get("chassis_vendor", ""),
    )


@probe("system.memory-modules", reads=[DMIDECODE])
def memory_modules(seen: Seen) -> Iterator[MemoryModule]:
    """The memory modules, where a `dmidecode` was saved."""
    if seen.capture(DMIDECODE) is not None:
        yield from dmi_table.memory_modules(seen.text(DMIDECODE))


@probe("system.virtualization", reads=[CPUINFO, DMI, CONTAINER, CONTAINER_MARKS, MOUNTINFO])
def virtualization(seen: Seen) -> Iterator[Virtualization]:
    """Bare metal or virtual machine, and inside a container or not."""
    if seen.capture(CPUINFO) is None and seen.capture(DMI) is None:
        raise Unread("neither the processor nor the firmware was read")
    said: dict[str, str] = {}
    if seen.capture(DMI) is not None:
        said = {path.removeprefix(ROOT): text for path, text in seen.values(DMI, _FORMS)}
    name = f"{said.get('sys_vendor', '')} {said.get('product_name', '')}".strip()
    hypervisor = next((word for known, word in _HYPERVISORS if known.search(name)), "")
    virtual: bool | None = True if hypervisor else None
    flags = fields(head(seen)).get("flags")
    if not virtual and flags is not None:  # x86 processors say so themselves
        virtual = "hypervisor" in flags.split()
    elif not virtual and name:  # Arm ones do not; a maker that is no hypervisor makes metal
        virtual = False
    yield Virtualization(virtual, hypervisor, _container(seen))


def _container(seen: Seen) -> str:
    """The container technology as its own marks name it; "" when there are none."""
    if seen.capture(CONTAINER) is not None and (word := (seen.file(CONTAINER) or "").strip()):
        return word
    text = seen.file(MOUNTINFO) if seen.capture(MOUNTINFO) is not None else None
    root = root_of(text or "")
    if root is not None and (laid := in_container(root)):
        return laid
    if root is not None and root.device.startswith("/dev/") and root.root == "/":
        return ""  # a disk of its own: marks in it are left from the image that it was made of
    if seen.capture(CONTAINER_MARKS) is not None:
        for entry in seen.entries(CONTAINER_MARKS):
            return "docker" if entry.path.endswith(".dockerenv") else "podman"
    return ""
