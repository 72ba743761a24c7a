"""Memory, memory nodes, limits, modules, services, clocks and the machine itself."""

import pytest

from assay.demo.hosts import absent, answer, pack
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.boot import InstalledKernel, RebootRequired
from assay.model.facts.clock import ClockSync
from assay.model.facts.cpu import NumaNode
from assay.model.facts.limits import UNLIMITED, ResourceLimit
from assay.model.facts.memory import HugePagePool, Memory, MemoryErrors
from assay.model.facts.system import KernelModule, Livepatch, Service
from assay.probes import (
    clock,
    kernel_installed,
    kernel_livepatch,
    memory,
    modules,
    numa,
    services,
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


def test_meminfo_in_bytes():
    text = (
        "MemTotal:       1056525564 kB\nMemFree:        123 kB\nSwapTotal:       8388604 kB\n"
        "HardwareCorrupted:    12 kB\nHugePages_Total:    4096\nHugepagesize:       2048 kB\n"
    )
    assert saved(text) == [Memory(1056525564 * 1024, 8388604 * 1024, 12 * 1024, 2048 * 1024, 4096)]


def test_meminfo_without_a_total_is_unread():
    odd = pack(memory.MEMINFO, {"/proc/meminfo": "MemFree: 12 kB\n"})
    assert "MemTotal" in facts("system.memory", odd).unread


def test_huge_pages():
    root = memory.POOL_ROOT + "hugepages-1048576kB/"
    seen = facts(
        "system.hugepages",
        pack(memory.POOLS, {root + "nr_hugepages": "64\n", root + "free_hugepages": "60\n"}),
    )
    assert seen.facts == (HugePagePool(GIB, 64, 60),)
    thp = pack(memory.THP, {memory.THP_ROOT + "enabled": "[always] madvise never\n"})
    assert facts("system.transparent-hugepages", thp).facts[0].enabled == "always"
    odd = pack(memory.THP, {memory.THP_ROOT + "enabled": "always madvise never\n"})
    assert "no chosen word" in facts("system.transparent-hugepages", odd).unread


def test_edac_counters_that_are_no_numbers_stay_unknown():
    root = memory.EDAC_ROOT + "mc0/"
    seen = facts(
        "system.edac", pack(memory.EDAC, {root + "ce_count": "7\n", root + "ue_count": "x"})
    )
    assert seen.facts == (MemoryErrors("mc0", "", 7, None),)


def test_memory_nodes():
    root = numa.ROOT + "node1/"
    seen = facts(
        "system.numa",
        pack(
            numa.NUMA,
            {
                root + "cpulist": "4-7\n",
                root + "distance": "21 10\n",
                root + "meminfo": "Node 1 MemTotal:       1024 kB\nNode 1 MemFree:  3 kB\n",
            },
        ),
    )
    assert seen.facts == (NumaNode(1, "4-7", 1024 * 1024, (21, 10)),)


def test_limits():
    text = (
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max locked memory         8388608              unlimited            bytes     \n"
        "Max nice priority         0                    0                    \n"
    )
    assert saved(text) == [
        ResourceLimit("locked memory", 8388608, UNLIMITED, "bytes"),
        ResourceLimit("nice priority", 0, 0, ""),
    ]


def test_modules_collected_and_saved():
    seen = facts(
        "system.modules",
        pack(
            modules.MODULES,
            {"/proc/modules": "nvidia 5683 512 nvidia_uvm, Live 0x0 (POE)\nxfs 9 1 - Live 0x0\n"},
        ),
        pack(modules.VERSIONS, {modules.ROOT + "nvidia/version": "570.86.15\n"}),
    )
    assert seen.facts == (
        KernelModule("nvidia", "570.86.15", users=512),
        KernelModule("xfs", users=1),
    )
    text = (
        "Module             Size  Used by\namdgpu         19619840  8\ndrm  638976  9 amdgpu,ast\n"
    )
    assert saved(text) == [KernelModule("amdgpu", users=8), KernelModule("drm", users=9)]


def test_services():
    text = (
        "  containerd.service   loaded active running containerd container runtime\n"
        "● slurmd.service       loaded failed failed  Slurm node daemon\n"
        "  ntp.service          not-found inactive dead ntp.service\n"
    )
    assert saved(text) == [
        Service("containerd.service", "loaded", "active", "running"),
        Service("slurmd.service", "loaded", "failed", "failed"),
        Service("ntp.service", "not-found", "inactive", "dead"),
    ]


def test_a_node_without_systemd_has_no_services():
    said = "System has not been booted with systemd as init system (PID 1). Can't operate.\n"
    without = Capture(services.UNITS.source, exit_code=1, stderr=said)
    assert facts("system.services", without).unread == ""
    broken = Capture(services.UNITS.source, exit_code=1, stderr="Failed to connect to bus: refused")
    assert "Failed to connect" in facts("system.services", broken).unread
    assert "listed no services" in facts("system.services", answer(services.UNITS, "")).unread


TRACKING = (
    "Reference ID    : 7F7F0101 ()\nStratum         : {}\nSystem time     : {}\n"
    "Leap status     : {}\n"
)


@pytest.mark.parametrize(
    ("leap", "synchronized"),
    [("Normal", True), ("Insert second", True), ("Not synchronised", False), ("Strange", None)],
)
def test_chrony_words(leap, synchronized):
    text = TRACKING.format(2, "0.002000000 seconds fast of NTP time", leap)
    assert saved(text) == [ClockSync("chrony", synchronized, 0.002, 2, leap)]


def test_clock_without_chrony():
    down = Capture(clock.CHRONY.source, b"506 Cannot talk to daemon\n", exit_code=1)
    says = answer(clock.TIMEDATE, "NTP=yes\nNTPSynchronized=no\n")
    assert facts("system.clock", down, says).facts == (ClockSync("kernel", False, detail="no"),)
    seen = facts("system.clock", down, absent(clock.TIMEDATE), absent(clock.TIMESYNC))
    assert seen.facts[0].synchronized is None
    mark = pack(clock.TIMESYNC, {"/run/systemd/timesync/synchronized": "f 0644 0 0 - 0"})
    assert facts("system.clock", down, absent(clock.TIMEDATE), mark).facts[0].synchronized is True
    assert "not read in this run" in facts("system.clock").unread


def test_timedatectl_status_as_people_paste_it():
    text = "               Local time: Fri 2026-01-02\n  System clock synchronized: yes\n"
    assert saved(text) == [ClockSync("kernel", True, detail="yes")]


def test_installed_kernels():
    seen = facts(
        "system.installed-kernels",
        pack(
            kernel_installed.IMAGES,
            {"/boot/vmlinuz-5.15.0-91-generic": "f", "/boot/vmlinuz-0-rescue-0123abcd": "f"},
        ),
        pack(kernel_installed.TREES, {"/lib/modules/5.15.0-97-generic": "d"}),
    )
    assert seen.facts == (
        InstalledKernel("5.15.0-91-generic", image=True, modules=False),
        InstalledKernel("5.15.0-97-generic", image=False, modules=True),
    )
    note = pack(
        kernel_installed.REBOOT,
        {"/run/reboot-required": "*** System restart required ***\n",
         "/run/reboot-required.pkgs": "linux-base\nlibc6\nlinux-base\n"},
    )  # fmt: skip
    assert facts("system.reboot-required", note).facts == (RebootRequired(("libc6", "linux-base")),)


def test_live_patches():
    on = pack(kernel_livepatch.PATCHES, {kernel_livepatch.ROOT + "lkp_104/enabled": "1\n"})
    assert facts("system.livepatch", on).facts == (Livepatch("lkp_104", True),)
    assert saved("kernel state: ✓ kernel is supported\npatch state: ✓ all applicable livepatch "
                 "modules inserted\npatch version: 104.1\n") == [
        Livepatch("canonical-livepatch 104.1", True)
    ]  # fmt: skip
    assert saved("patchState: nothing-to-apply\n")[0].enabled is False
    assert saved(
        "Loaded patch modules:\nkpatch_4_18 [enabled]\n\nInstalled patch modules:\nx (1)\n"
    ) == [Livepatch("kpatch_4_18", True)]


def test_the_kernels_word_does_not_replace_a_chrony_that_hangs():
    hangs = Capture(clock.CHRONY.source, status=Status.TIMEOUT)
    found = facts("system.clock", hangs, answer(clock.TIMEDATE, "NTPSynchronized=yes\n"))
    assert found.facts[0].synchronized is True
    assert "timeout" in found.unread
