"""Kernel, memory, limits and services: right on GPU nodes, silent elsewhere."""

from dataclasses import replace

import pytest

from assay.engine.catalogue import catalogue
from assay.model.facts.boot import InstalledKernel, RebootRequired
from assay.model.facts.clock import ClockSync
from assay.model.facts.cpu import CpuFrequency, NumaNode, Processors
from assay.model.facts.dmi import Virtualization
from assay.model.facts.limits import UNLIMITED, ResourceLimit
from assay.model.facts.memory import (
    HugePagePool,
    Memory,
    MemoryErrors,
    TransparentHugePages,
)
from assay.model.facts.pci import PciDevice
from assay.model.facts.storage import FileSystemUsage
from assay.model.facts.system import CpuVulnerability, Kernel, Service, Sysctl
from assay.model.outcome import Outcome, Severity, worst

CHECKS = {check.id: check for check in catalogue().checks}


NA, PASS, UNKNOWN, FAIL = Outcome


GIB = 1 << 30


METAL, GUEST = Virtualization(False), Virtualization(True, "KVM")


INSIDE = Virtualization(False, "", "docker")


def verdicts(id, *given):
    return list(CHECKS[id].judge(*given))


def outcome(id, *given):
    return worst(verdict.outcome for verdict in verdicts(id, *given))


def severities(id, *given):
    return {v.severity for v in verdicts(id, *given) if v.outcome is FAIL}


def device(bdf, vendor="10de", kind="030200", **more):
    return PciDevice(bdf, vendor, "2330", kind, virtual_function=False, **more)


ROOT = device("0000:15:01.0", "8086", "060400", width_max=16, speed_max=32.0)


UP = device("0000:16:00.0", "1000", "060400", width=16, width_max=16, speed=32.0, speed_max=32.0,
            upstream=ROOT.bdf)  # fmt: skip


DOWN = device("0000:17:00.0", "1000", "060400", width_max=16, speed_max=32.0, upstream=UP.bdf,
              acs_redirect=False)  # fmt: skip


GPU = device("0000:1b:00.0", driver="nvidia", width=16, width_max=16, speed=2.5, speed_max=32.0,
             numa_node=0, upstream=DOWN.bdf, iommu_group=7)  # fmt: skip


NIC = device("0000:18:00.0", "15b3", "020700", driver="mlx5_core", width=16, width_max=16,
             speed=32.0, speed_max=32.0, numa_node=0)  # fmt: skip


TREE = [ROOT, UP, DOWN, GPU, NIC]


VGA = device("0000:01:00.0", kind="030000")


LAPTOP = [device("0000:00:02.0", "8086", "030000"), replace(VGA, driver="nouveau")]


VIRTIO = [device("0000:00:03.0", "1af4", "020000", driver="virtio-pci")]


def test_system_checks_are_silent_without_accelerators():
    memory = [Memory(16 * GIB, 8 * GIB)]
    assert outcome("system.swap", memory, LAPTOP) is NA
    assert outcome("system.locked-memory", [], LAPTOP) is NA
    assert outcome("system.shared-memory", [], memory, VIRTIO) is NA
    assert outcome("system.open-files", [], LAPTOP) is NA
    assert outcome("system.numa-balancing", [], LAPTOP, []) is NA
    assert outcome("system.kernel-pointers", [], LAPTOP) is NA
    assert outcome("system.panic-reboot", [], LAPTOP) is NA
    assert outcome("system.core-dumps", [], LAPTOP) is NA
    assert outcome("system.kernel-log-access", [], LAPTOP) is NA
    assert outcome("system.transparent-hugepages", [TransparentHugePages("never")], LAPTOP) is NA
    assert outcome("system.cpu-governor", [CpuFrequency("x", (("powersave", 8),))], LAPTOP) is NA
    assert outcome("system.memory-error-reporting", [], LAPTOP, [METAL]) is NA


@pytest.mark.parametrize(
    ("status", "expected", "severity"),
    [
        ("Not affected", PASS, set()),
        ("Mitigation: PTI", PASS, set()),
        ("Mitigation; PTI", PASS, set()),
        ("KVM: Mitigation: Split huge pages", PASS, set()),
        ("Mitigation: Clear CPU buffers; SMT vulnerable", FAIL, {Severity.LOW}),
        ("Mitigation: Retpolines; BHI: Vulnerable", FAIL, {None}),
        ("Vulnerable: Clear CPU buffers attempted, no microcode", FAIL, {None}),
        ("Processor vulnerable", FAIL, {None}),
        ("Unknown: Dependent on hypervisor status", UNKNOWN, set()),
        ("Mitigated", UNKNOWN, set()),
        ("", UNKNOWN, set()),
    ],
)
def test_mitigations(status, expected, severity):
    said = [CpuVulnerability("x", status)]
    assert outcome("system.cpu-mitigations", said) is expected
    assert severities("system.cpu-mitigations", said) == severity


def kernel(release, taint=0):
    return [Kernel(release, "#1", "x86_64", taint=taint)]


def on_disk(*releases):
    return [InstalledKernel(release, image=True, modules=True) for release in releases]


@pytest.mark.parametrize(
    ("running", "installed", "expected"),
    [
        ("5.15.0-91-generic", ["5.15.0-91-generic", "5.15.0-9-generic"], PASS),
        ("5.15.0-91-generic", ["5.15.0-91-generic", "5.15.0-101-generic"], FAIL),
        ("6.8.0-1007-nvidia", ["6.8.0-1007-nvidia", "6.8.0-45-generic"], PASS),
        ("6.8.0-1007-nvidia", ["6.8.0-45-generic"], NA),
        ("5.14.0-427.13.1.el9_4.x86_64",
         ["5.14.0-427.13.1.el9_4.x86_64", "5.14.0-503.11.1.el9_5.x86_64"], FAIL),
        ("6.1.0-25-amd64", [], NA),
    ],
)  # fmt: skip
def test_pending_reboot(running, installed, expected):
    said = outcome("system.pending-reboot", kernel(running), on_disk(*installed), [], [METAL])
    assert said is expected


def test_packages_ask_for_a_reboot():
    asked = [RebootRequired(("libc6",))]
    assert outcome("system.pending-reboot", kernel("1.2"), [], asked, [METAL]) is FAIL
    assert outcome("system.pending-reboot", kernel("1.2"), [], asked, [INSIDE]) is NA


def test_modules_of_the_running_kernel():
    disk = on_disk("6.8.0-2-x")
    assert outcome("system.kernel-modules-on-disk", kernel("6.8.0-1-x"), disk, [METAL]) is FAIL
    assert outcome("system.kernel-modules-on-disk", kernel("6.8.0-2-x"), disk, [METAL]) is PASS
    assert outcome("system.kernel-modules-on-disk", kernel("6.8.0-1-x"), disk, [INSIDE]) is NA
    assert outcome("system.kernel-modules-on-disk", kernel("6.8.0-1-x"), [], [METAL]) is NA


@pytest.mark.parametrize(
    ("taint", "expected"),
    [(0, PASS), (12289, PASS), (12289 | 128, FAIL), (16, FAIL), (512, FAIL), (None, UNKNOWN)],
)
def test_taint(taint, expected):
    assert outcome("system.kernel-taint", kernel("6.8.0", taint)) is expected


def limit(name, soft, hard=UNLIMITED):
    return [ResourceLimit(name, soft, hard)]


@pytest.mark.parametrize(
    ("soft", "expected"), [(UNLIMITED, PASS), (64 * GIB, PASS), (63 * GIB, FAIL), (0, FAIL)]
)
def test_locked_memory(soft, expected):
    assert outcome("system.locked-memory", limit("locked memory", soft), TREE) is expected
    assert outcome("system.locked-memory", [], TREE) is UNKNOWN


def test_open_files_by_the_hard_limit():
    assert outcome("system.open-files", limit("open files", 1024, 1048576), TREE) is PASS
    assert outcome("system.open-files", limit("open files", 1024, 4096), TREE) is FAIL


def usage(point, size=100, free=50, inodes=100, inodes_free=50, error=""):
    return FileSystemUsage(point, size, free, inodes, inodes_free, error)


def test_shared_memory():
    memory, point = [Memory(2000 * GIB, 0)], "/dev/shm"
    assert outcome("system.shared-memory", [usage(point, 1000 * GIB)], memory, TREE) is PASS
    assert outcome("system.shared-memory", [usage(point, 64 << 20)], memory, TREE) is FAIL
    assert severities("system.shared-memory", [usage(point, 8 * GIB)], memory, TREE) == {
        Severity.INFO
    }
    assert outcome("system.shared-memory", [usage(point, None)], memory, TREE) is UNKNOWN
    assert outcome("system.shared-memory", [], memory, TREE) is FAIL


def sysctl(name, value):
    return [Sysctl(name, value)]


@pytest.mark.parametrize(
    ("id", "name", "good", "bad", "rest"),
    [
        ("system.kernel-pointers", "kernel.kptr_restrict", "0", "2", [TREE]),
        ("system.kernel-log-access", "kernel.dmesg_restrict", "0", "1", [TREE]),
        ("system.panic-reboot", "kernel.panic", "-1", "0", [TREE]),
        ("system.unprivileged-bpf", "kernel.unprivileged_bpf_disabled", "1", "0", []),
        ("system.address-randomisation", "kernel.randomize_va_space", "2", "1", []),
        ("system.core-dumps", "kernel.core_pattern", "|/x %p", "core.%p", [TREE]),
        ("system.numa-balancing", "kernel.numa_balancing", "0", "1",
         [TREE, [NumaNode(0, "0"), NumaNode(1, "1")]]),
    ],
)  # fmt: skip
def test_settings(id, name, good, bad, rest):
    assert outcome(id, sysctl(name, good), *rest) is PASS
    assert outcome(id, sysctl(name, bad), *rest) is FAIL
    assert outcome(id, sysctl(name, ""), *rest) is UNKNOWN


def test_unlisted_settings_are_unknown():
    name = "kernel.unprivileged_bpf_disabled"
    assert outcome("system.unprivileged-bpf", sysctl(name, "3")) is UNKNOWN
    assert outcome("system.unprivileged-bpf", []) is NA  # a kernel without BPF


def test_governors():
    assert outcome("system.cpu-governor", [CpuFrequency("x", (("performance", 8),))], TREE) is PASS
    mixed = CpuFrequency("x", (("performance", 7), ("schedutil", 1)))
    assert outcome("system.cpu-governor", [mixed], TREE) is FAIL
    assert outcome("system.cpu-governor", [CpuFrequency("x", (("turbo", 8),))], TREE) is UNKNOWN


def test_cpus_online():
    some = Processors("x", cpus=8, present=16)
    assert outcome("system.cpus-online", [some]) is FAIL
    assert outcome("system.cpus-online", [replace(some, smt="off")]) is NA
    assert outcome("system.cpus-online", [replace(some, cpus=16)]) is PASS
    assert outcome("system.cpus-online", [replace(some, cpus=None)]) is NA


def test_memory_errors():
    assert outcome("system.memory-errors", [MemoryErrors("mc0", "", 900, 0)]) is PASS
    assert outcome("system.memory-errors", [MemoryErrors("mc0", "", 0, 1)]) is FAIL
    assert outcome("system.memory-errors", [MemoryErrors("mc0", "", 0, None)]) is UNKNOWN
    assert outcome("system.memory-error-reporting", [], TREE, [METAL]) is FAIL
    assert outcome("system.memory-error-reporting", [], TREE, [GUEST]) is NA
    assert outcome("system.memory-error-reporting", [], TREE, [Virtualization(None)]) is UNKNOWN


def test_memory_that_is_lost():
    assert outcome("system.poisoned-memory", [Memory(GIB, 0, 4096)]) is FAIL
    assert outcome("system.poisoned-memory", [Memory(GIB, 0, None)]) is NA
    pool = HugePagePool(GIB, 100, 100)
    assert outcome("system.reserved-hugepages", [pool], [Memory(200 * GIB)]) is FAIL
    assert (
        outcome("system.reserved-hugepages", [replace(pool, free=1)], [Memory(200 * GIB)]) is PASS
    )
    unread = replace(pool, free=None)
    assert outcome("system.reserved-hugepages", [unread], [Memory(200 * GIB)]) is UNKNOWN
    assert outcome("system.swap", [Memory(GIB, None)], TREE) is UNKNOWN


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (ClockSync("chrony", True, 0.001), PASS),
        (ClockSync("chrony", True, 2.0), FAIL),
        (ClockSync("kernel", False), FAIL),
        (ClockSync("", None), UNKNOWN),
    ],
)
def test_clock(said, expected):
    assert outcome("system.clock-sync", [said], [METAL]) is expected
    assert outcome("system.clock-sync", [said], [INSIDE]) is NA


def test_services():
    fine = Service("ssh.service", "loaded", "active", "running")
    assert outcome("system.failed-services", [fine]) is PASS
    broken = [Service("x.service", "loaded", "failed", "failed"), fine]
    assert severities("system.failed-services", broken) == {None}
    vital = [Service("nvidia-fabricmanager.service", "loaded", "failed", "failed")]
    assert severities("system.failed-services", vital) == {Severity.MEDIUM}
    assert outcome("system.failed-services", []) is NA
