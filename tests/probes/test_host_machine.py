"""The machine: its maker, its memory modules, and whether it is a machine at all."""

import pytest

from assay.demo.hosts import absent, pack
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.dmi import Machine, Virtualization
from assay.model.facts.memory import MemoryModule
from assay.probes import (
    cpu,
    dmi,
    mounts,
)

PROBES = catalogue().probes
GIB = 1 << 30


def facts(id, *captures):
    probe = next(p for p in PROBES if p.id == id)
    seen = understand(probe, Evidence("n", {c.source: c for c in captures}))
    assert seen.error is None, seen.error.traceback
    return seen


def saved(text):
    parsed = parse(text.encode(), PROBES)
    assert not any(r.error for r in parsed.results)
    return [fact for result in parsed.results for fact in result.facts]


DMIDECODE = """\
# dmidecode 3.3
Getting SMBIOS data from sysfs.
SMBIOS 3.5.0 present.

Handle 0x0000, DMI type 0, 26 bytes
BIOS Information
\tVendor: Dell Inc.
\tVersion: 2.4.4
\tRelease Date: 09/27/2024

Handle 0x0100, DMI type 1, 27 bytes
System Information
\tManufacturer: Dell Inc.
\tProduct Name: PowerEdge XE9680

Handle 0x1100, DMI type 17, 92 bytes
Memory Device
\tSize: 64 GB
\tLocator: A1
\tBank Locator: Not Specified
\tType: DDR5
\tSpeed: 5600 MT/s
\tManufacturer: 80AD863280AD
\tPart Number: HMCG94AGBRA181N
\tRank: 2
\tConfigured Memory Speed: 4800 MT/s

Handle 0x1101, DMI type 17, 92 bytes
Memory Device
\tSize: No Module Installed
\tLocator: A2
"""


def test_dmidecode():
    machine, module = saved(DMIDECODE)
    assert machine == Machine(
        "Dell Inc.", "PowerEdge XE9680", bios_vendor="Dell Inc.", bios_version="2.4.4",
        bios_date="09/27/2024",
    )  # fmt: skip
    assert module == MemoryModule(
        "A1", 64 * GIB, "DDR5", 5600, 4800, "80AD863280AD", "HMCG94AGBRA181N", "", 2
    )


def test_dmidecode_that_was_refused():
    text = "# dmidecode 3.3\n/sys/firmware/dmi/tables/smbios_entry_point: Permission denied\n"
    assert saved(text) == []
    assert "Permission denied" in parse(text.encode(), PROBES).unknown


INTEL = "processor\t: 0\nmodel name\t: X\nflags\t\t: fpu lm{}\n"
OVERLAY = "1 0 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/containerd/io/1,upperdir=/u\n"


@pytest.mark.parametrize(
    ("flag", "vendor", "product", "virtual", "hypervisor"),
    [
        ("", "Supermicro", "SYS-821GE-TNHR", False, ""),
        (" hypervisor", "Unheard Of", "Box", True, ""),
        ("", "Amazon EC2", "p5.48xlarge", True, "Amazon EC2"),
        ("", "Amazon EC2", "m7i.metal-24xl", False, ""),
        (" hypervisor", "Microsoft Corporation", "Virtual Machine", True, "Hyper-V"),
        ("", "Microsoft Corporation", "Surface", False, ""),
    ],
)
def test_bare_metal_or_virtual(flag, vendor, product, virtual, hypervisor):
    seen = facts(
        "system.virtualization",
        pack(cpu.CPUINFO, {"/proc/cpuinfo": INTEL.format(flag)}),
        pack(dmi.DMI, {dmi.ROOT + "sys_vendor": vendor, dmi.ROOT + "product_name": product}),
    )
    assert seen.facts == (Virtualization(virtual, hypervisor),)


def test_arm_is_metal_only_when_its_maker_says_so():
    arm = pack(cpu.CPUINFO, {"/proc/cpuinfo": "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n"})
    assert facts("system.virtualization", arm, absent(dmi.DMI)).facts[0].virtual is None
    made = pack(dmi.DMI, {dmi.ROOT + "sys_vendor": "NVIDIA"})
    assert facts("system.virtualization", arm, made).facts[0].virtual is False


def test_inside_a_container():
    metal = pack(cpu.CPUINFO, {"/proc/cpuinfo": INTEL.format("")})
    inside = pack(mounts.MOUNTINFO, {"/proc/self/mountinfo": OVERLAY})
    assert facts("system.virtualization", metal, inside).facts[0].container == "containerd"
    disk = pack(mounts.MOUNTINFO, {"/proc/self/mountinfo": "1 0 8:1 / / rw - ext4 /dev/vda rw\n"})
    mark = pack(dmi.CONTAINER_MARKS, {"/.dockerenv": "f 0755 0 0 - 0"})
    assert facts("system.virtualization", metal, disk, mark).facts[0].container == ""
    assert facts("system.virtualization", metal, mark).facts[0].container == "docker"


def test_an_unread_machine_is_unread():
    denied = Capture(dmi.DMI.source, status=Status.DENIED)
    assert facts("system.dmi", denied).unread
