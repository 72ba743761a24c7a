"""Distribution, kernel, settings and processors of a node."""

import pytest

from assay.demo.hosts import absent, answer, pack
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.cpu import CpuFrequency, Processors
from assay.model.facts.system import CpuVulnerability, Kernel, OperatingSystem, Sysctl
from assay.probes import cpu, kernel, os_release, sysctl, vulnerabilities
from assay.probes.cpu_lscpu import LSCPU

PROBES = catalogue().probes


def facts(id, *captures):
    probe = next(p for p in PROBES if p.id == id)
    seen = understand(probe, Evidence("n", {c.source: c for c in captures}))
    assert seen.error is None, seen.error.traceback
    return seen


def saved(text):
    parsed = parse(text.encode(), PROBES)
    assert not any(r.error for r in parsed.results)
    return [fact for result in parsed.results for fact in result.facts]


def test_os_release():
    text = (
        'NAME=\'Rocky Linux\'\r\nVERSION="9.4 (Blue Onyx)"\r\nID="rocky"\r\n'
        'ID_LIKE="rhel centos fedora"\r\nVERSION_ID="9.4"\r\n'
        'PRETTY_NAME="Rocky Linux 9.4 (Blue Onyx)"\r\n'
    )
    assert saved(text) == [
        OperatingSystem(
            "rocky", "9.4", "Rocky Linux 9.4 (Blue Onyx)", ("rhel", "centos", "fedora"), ""
        )
    ]


def test_os_release_of_a_rolling_distribution():
    arch = pack(
        os_release.OS_RELEASE, {"/usr/lib/os-release": "ID=arch\nNAME=Arch\nBUILD_ID=rolling\n"}
    )
    assert facts("system.os-release", arch).facts == (OperatingSystem("arch", "rolling", "Arch"),)


def test_os_release_that_names_nothing_is_unread():
    odd = pack(os_release.OS_RELEASE, {"/etc/os-release": "HOME_URL=x\n"})
    assert "names no distribution" in facts("system.os-release", odd).unread


def kernel_files(**values):
    return pack(kernel.KERNEL, {f"/proc/sys/kernel/{k}": v + "\n" for k, v in values.items()})


def test_kernel_hides_what_names_one_machine():
    cmdline = "BOOT_IMAGE=/vmlinuz root=UUID=1234 ro iommu=pt ip=10.0.0.1::: hostname=n1"
    seen = facts(
        "system.kernel",
        kernel_files(osrelease="5.14.0-503.el9.x86_64", version="#1 SMP", tainted="12289"),
        pack(kernel.CMDLINE, {"/proc/cmdline": cmdline}),
        absent(kernel.VERSION),
    )
    words = ("BOOT_IMAGE=/vmlinuz", "root=...", "ro", "iommu=pt", "ip=...", "hostname=...")
    assert seen.facts == (Kernel("5.14.0-503.el9.x86_64", "#1 SMP", "x86_64", words, 12289),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "$ uname -a\nLinux node7 6.8.0-45-generic #45-Ubuntu SMP PREEMPT_DYNAMIC Fri Aug 30 "
            "12:02:04 UTC 2024 x86_64 x86_64 x86_64 GNU/Linux\n",
            Kernel(
                "6.8.0-45-generic",
                "#45-Ubuntu SMP PREEMPT_DYNAMIC Fri Aug 30 12:02:04 UTC 2024",
                "x86_64",
            ),
        ),
        (
            "Linux version 6.5.0-1019-nvidia-64k (buildd@bos03-arm64-033) "
            "(aarch64-linux-gnu-gcc-12 (Ubuntu 12.3.0) 12.3.0, GNU ld 2.38) "
            "#19-Ubuntu SMP PREEMPT_DYNAMIC Wed May 1 00:00:00 UTC 2024\n",
            Kernel(
                "6.5.0-1019-nvidia-64k",
                "#19-Ubuntu SMP PREEMPT_DYNAMIC Wed May 1 00:00:00 UTC 2024",
                "aarch64",
            ),
        ),
    ],
)
def test_kernel_from_what_people_paste(text, expected):
    assert saved(text) == [expected]


def test_kernel_without_a_release_is_unread():
    assert "release" in facts("system.kernel", kernel_files(tainted="0")).unread
    assert facts("system.kernel", kernel_files(osrelease="Permission denied")).facts == ()


def test_sysctl_collected_and_saved():
    one = pack(sysctl.SETTINGS, {"/proc/sys/vm/swappiness": "10\n"})
    assert facts("system.sysctl", one).facts == (Sysctl("vm.swappiness", "10"),)
    assert saved("kernel.panic = 10\nnet.ipv4.tcp_rmem = 4096\t131072\t6291456\n") == [
        Sysctl("kernel.panic", "10"),
        Sysctl("net.ipv4.tcp_rmem", "4096\t131072\t6291456"),
    ]


X86 = (
    "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654 96-Core Processor\n"
    "microcode\t: 0xa101148\nsiblings\t: 192\ncpu cores\t: 96\nflags\t\t: fpu lm svm\n\n"
)
ARM = "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n\n"


def topology(**values):
    return pack(cpu.TOPOLOGY, {cpu.ROOT + k.replace("__", "/"): v for k, v in values.items()})


def test_processors_of_two_sockets():
    seen = facts(
        "system.cpu",
        pack(cpu.CPUINFO, {"/proc/cpuinfo": X86}),
        topology(
            online="0-383\n",
            present="0-383\n",
            smt__control="on\n",
            cpu0__topology__core_siblings_list="0-95,192-287\n",
            cpu0__topology__thread_siblings_list="0,192\n",
        ),
    )
    assert seen.facts == (
        Processors(
            model="AMD EPYC 9654 96-Core Processor",
            vendor="AuthenticAMD",
            architecture="x86_64",
            cpus=384,
            present=384,
            sockets=2,
            cores_per_socket=96,
            threads_per_core=2,
            smt="on",
            microcode="0xa101148",
            hypervisor=False,
        ),
    )


def test_processors_when_only_the_head_of_cpuinfo_was_kept():
    cut = Capture(cpu.CPUINFO.source, X86.encode(), status=Status.TRUNCATED)
    (found,) = facts("system.cpu", cut, absent(cpu.TOPOLOGY)).facts
    assert (found.model, found.cpus) == ("AMD EPYC 9654 96-Core Processor", None)


def test_processors_of_grace_say_nothing_about_a_hypervisor():
    (found,) = facts("system.cpu", pack(cpu.CPUINFO, {"/proc/cpuinfo": ARM})).facts
    assert (found.model, found.vendor) == ("Neoverse-V2", "ARM")
    assert (found.architecture, found.hypervisor) == ("aarch64", None)


def test_lscpu_as_text_and_as_json():
    text = (
        "$ lscpu\nArchitecture:          x86_64\nCPU(s):                96\n"
        "Thread(s) per core:    2\nCore(s) per socket:    24\nSocket(s):             2\n"
        "NUMA node(s):          2\nVendor ID:             GenuineIntel\n"
        "Model name:            Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz\n"
        "Hypervisor vendor:     KVM\nVulnerability Mds:     Vulnerable: no microcode\n"
    )
    processor, weakness = saved(text)
    assert (processor.sockets, processor.cores_per_socket, processor.cpus) == (2, 24, 96)
    assert processor.hypervisor is True
    assert weakness == CpuVulnerability("mds", "Vulnerable: no microcode")
    json = (
        '{"lscpu": [{"field": "Architecture:", "data": "aarch64", "children": ['
        '{"field": "CPU op-mode(s):", "data": "64-bit"}]}, {"field": "CPU(s):", "data": "144"},'
        '{"field": "Vendor ID:", "data": "ARM", "children": [{"field": "Model name:", '
        '"data": "Neoverse-V2", "children": [{"field": "Thread(s) per core:", "data": "1"},'
        '{"field": "Socket(s):", "data": "2"}]}]}]}'
    )
    (processor,) = saved(json)
    assert (processor.model, processor.cpus, processor.sockets) == ("Neoverse-V2", 144, 2)


def test_lscpu_of_nothing_is_unread():
    assert "neither" in facts("system.cpu", answer(LSCPU, "Byte Order: Little Endian\n")).unread


def test_governors_are_counted():
    seen = facts(
        "system.cpu-frequency",
        pack(
            cpu.FREQUENCY,
            {
                cpu.ROOT + "cpufreq/policy0/scaling_governor": "performance\n",
                cpu.ROOT + "cpufreq/policy1/scaling_governor": "powersave\n",
                cpu.ROOT + "cpufreq/policy0/scaling_driver": "amd-pstate-epp\n",
                cpu.ROOT + "intel_pstate/no_turbo": "1\n",
            },
        ),
    )
    governors = (("performance", 1), ("powersave", 1))
    assert seen.facts == (CpuFrequency("amd-pstate-epp", governors, turbo=False),)
    assert facts("system.cpu-frequency", absent(cpu.FREQUENCY)).facts == ()


def test_vulnerabilities_by_file_name():
    seen = facts(
        "system.cpu-vulnerabilities",
        pack(vulnerabilities.VULNERABILITIES, {vulnerabilities.ROOT + "l1tf": "Not affected\n"}),
    )
    assert seen.facts == (CpuVulnerability("l1tf", "Not affected"),)


def test_denied_is_unread_and_not_nothing():
    denied = Capture(vulnerabilities.VULNERABILITIES.source, status=Status.DENIED)
    assert "denied" in facts("system.cpu-vulnerabilities", denied).unread
