"""What the checks say, and that a pass needs a positive observation."""

from datetime import date

import pytest

from assay.advisories import database, session
from assay.advisories.feeds import refresh
from assay.checks.advisories.container_runtime import container_runtime
from assay.checks.advisories.container_toolkit import container_toolkit
from assay.checks.advisories.end_of_life_distribution import distribution_supported
from assay.checks.advisories.end_of_life_driver import driver_supported
from assay.checks.advisories.end_of_life_software import software_supported
from assay.checks.advisories.gpu_driver import gpu_driver
from assay.checks.advisories.kernel import kernel
from assay.checks.advisories.kernel_reboot import kernel_reboot
from assay.checks.advisories.system_packages import system_packages
from assay.model.advisory import Advisory, Range
from assay.model.facts.boot import InstalledKernel
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.software import ChangelogFix, Package, Software
from assay.model.facts.system import Kernel, OperatingSystem
from assay.model.outcome import Outcome, Severity

UBUNTU = "Ubuntu Developers <ubuntu-devel-discuss@lists.ubuntu.com>"
NOBLE = OperatingSystem("ubuntu", "24.04", "Ubuntu 24.04 LTS", codename="noble")
DAY = date(2026, 9, 1)


def on(day, check, *facts):
    with session.judging(today=day):
        return list(check(*facts))


def driver(version):
    return [NvidiaModule(version, True)], [], [], []


def test_the_sentence_of_an_upgrade():
    runc = Software("runc", "1.1.5", "binary", "/usr/local/bin/runc")
    (verdict,) = on(DAY, container_runtime, [], [runc], None, None, None)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.severity is Severity.HIGH
    assert verdict.subject == "runc (/usr/local/bin/runc)"
    for words in (
        "upgrade runc from 1.1.5 to 1.3.6", "clears 6 CVEs, of which 0 known exploited",
        "CVE-2024-21626", "shipped 2024-01-31", "30 days of grace ended 2024-03-01",
        "https://github.com/opencontainers/runc/releases", "advisories of 2026-08-21",
    ):  # fmt: skip
        assert words in verdict.because


def test_a_fix_within_its_grace_is_a_low_finding():
    (verdict,) = on(date(2026, 5, 25), gpu_driver, *driver("535.288.01"))
    assert (verdict.outcome, verdict.severity) == (Outcome.FAIL, Severity.LOW)
    assert "grace to 2026-06-18" in verdict.because


def test_known_exploited_is_critical():
    kernels = [Kernel("6.6.50", "#1 SMP", "x86_64")]
    (verdict,) = on(DAY, kernel, kernels, None, None, None)
    assert verdict.severity is Severity.CRITICAL
    assert "of which 6 known exploited" in verdict.because


def test_an_ended_branch_is_unknown_not_clear():
    (verdict,) = on(DAY, gpu_driver, *driver("570.211.01"))
    assert verdict.outcome is Outcome.UNKNOWN
    assert "11 advisories unassessed: branch R570 ended 2026-01-27" in verdict.because


def test_a_stale_database_clears_nothing_and_says_so():
    (verdict,) = on(DAY, gpu_driver, *driver("580.159.03"))
    assert verdict.outcome is Outcome.PASS
    (verdict,) = on(date(2026, 12, 1), gpu_driver, *driver("580.159.03"))
    assert verdict.outcome is Outcome.UNKNOWN
    assert "STALE" in verdict.because
    (verdict,) = on(date(2026, 12, 1), gpu_driver, *driver("580.95.05"))
    assert verdict.outcome is Outcome.FAIL
    assert "STALE" in verdict.because


@pytest.mark.parametrize("junk", ["", "N/A", "Failed to initialize NVML", "12.4", "580"])
def test_junk_never_passes(junk):
    for verdict in on(DAY, gpu_driver, *driver(junk)):
        assert verdict.outcome is Outcome.UNKNOWN


def test_a_kernel_by_its_builders_records():
    noble = [Kernel("6.8.0-1060-nvidia", "#63-Ubuntu SMP", "x86_64")]
    (verdict,) = on(DAY, kernel, noble, [NOBLE], None, None)
    assert verdict.outcome is Outcome.PASS
    assert "2094 more CVEs of upstream cannot be judged" in verdict.because
    old = [Kernel("6.8.0-1054-nvidia", "#57-Ubuntu SMP", "x86_64")]
    (verdict,) = on(DAY, kernel, old, [NOBLE], None, None)
    assert verdict.outcome is Outcome.FAIL
    red_hat = [Kernel("5.14.0-427.13.1.el9_4.x86_64", "#1 SMP", "x86_64")]
    (verdict,) = on(DAY, kernel, red_hat, [OperatingSystem("rhel", "9.4", "x")], None, None)
    assert verdict.outcome is Outcome.UNKNOWN


def test_installed_is_not_running():
    running = [Kernel("6.8.0-1054-nvidia", "", "x86_64")]
    both = [InstalledKernel("6.8.0-1054-nvidia", True, True),
            InstalledKernel("6.8.0-1055-nvidia", True, True),
            InstalledKernel("6.8.0-124-generic", True, True)]  # fmt: skip
    (verdict,) = on(DAY, kernel_reboot, running, both)
    assert verdict.outcome is Outcome.FAIL
    assert "6.8.0-1055-nvidia is installed" in verdict.because
    # a generic kernel is no newer nvidia kernel, whatever its number
    (verdict,) = on(DAY, kernel_reboot, running, [both[0], both[2]])
    assert verdict.outcome is Outcome.PASS
    assert on(DAY, kernel_reboot, running, []) == []


def test_distribution_packages_are_one_unknown_without_records():
    packages = [
        Package("dpkg", name, version, "amd64", source, version, UBUNTU)
        for name, version, source in [
            ("sudo", "1.9.15p5-3ubuntu5", "sudo"), ("libc6", "2.39-0ubuntu8", "glibc"),
            ("openssh-server", "1:9.6p1-3ubuntu13", "openssh"),
        ]
    ]  # fmt: skip
    (verdict,) = on(DAY, system_packages, packages, [], [NOBLE], None)
    assert verdict.outcome is Outcome.UNKNOWN
    assert "glibc" in verdict.because
    assert "sudo" in verdict.because
    proven = [ChangelogFix("sudo", "CVE-2025-32462"), ChangelogFix("sudo", "CVE-2025-32463")]
    verdicts = on(DAY, system_packages, packages[:1], [], [NOBLE], proven)
    assert [v.outcome for v in verdicts] == [Outcome.PASS]
    assert "2 by a proven backport" in verdicts[0].because


def test_the_toolkit_with_crun_only():
    toolkit = Software("nvidia-container-toolkit", "1.17.8", "binary")
    old = Software("nvidia-container-toolkit", "1.17.7", "binary")
    crun = Software("crun", "1.19", "binary")
    (verdict,) = on(DAY, container_toolkit, [], [old, crun], None, None, None)
    assert "CVE-2025-23266" not in verdict.because
    (verdict,) = on(DAY, container_toolkit, [], [old], None, None, None)
    assert "CVE-2025-23266" in verdict.because
    assert toolkit.version in "1.17.8"


def test_ends_of_life():
    (verdict,) = on(DAY, driver_supported, [NvidiaModule("535.309.01", True)])
    assert verdict.outcome is Outcome.FAIL
    assert "R535 gets no fixes since 2026-06-30" in verdict.because
    (verdict,) = on(DAY, driver_supported, [NvidiaModule("580.159.03", True)])
    assert verdict.outcome is Outcome.PASS
    (verdict,) = on(DAY, driver_supported, [NvidiaModule("999.10.01", True)])
    assert verdict.outcome is Outcome.UNKNOWN
    (verdict,) = on(date(2026, 11, 1), driver_supported, [NvidiaModule("590.48.01", True)])
    assert (verdict.outcome, verdict.severity) == (Outcome.FAIL, Severity.LOW)
    (verdict,) = on(DAY, distribution_supported, [OperatingSystem("ubuntu", "20.04", "x")])
    assert verdict.outcome is Outcome.FAIL
    (verdict,) = on(DAY, distribution_supported, [OperatingSystem("rocky", "9.4", "x")])
    assert verdict.outcome is Outcome.PASS
    (verdict,) = on(DAY, distribution_supported, [OperatingSystem("gentoo", "2.17", "x")])
    assert verdict.outcome is Outcome.UNKNOWN
    software = [Software("kubelet", "v1.30.5", "binary"), Software("slurm", "25.11.2", "binary")]
    kubelet, slurm = on(DAY, software_supported, [], software, None)
    assert (kubelet.outcome, slurm.outcome) == (Outcome.FAIL, Outcome.PASS)


def test_a_newer_database_turns_a_pass_into_a_fail_that_names_the_advisory():
    facts = [], [Software("runc", "1.3.6", "binary")], None, None, None
    with session.judging():
        (before,) = container_runtime(*facts)
    new = refresh.merge(
        database.embedded(),
        [refresh.Fetched(refresh.all_feeds()["govulndb"], (
            Advisory("runc", "CVE-2030-1", "A", (Range(fixed="1.3.9"),), sources=("govulndb",)),
        ), "https://example.org", "2026-09-01", "00")],
        as_of="2026-09-01",
    )  # fmt: skip
    with session.judging(new):
        (after,) = container_runtime(*facts)
    assert (before.outcome, after.outcome) == (Outcome.PASS, Outcome.FAIL)
    assert "CVE-2030-1" in after.because
