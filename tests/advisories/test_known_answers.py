"""Known answers, each of which a public auditor got wrong."""

import pytest

from assay.advisories import database, kernels
from assay.advisories.host import NOTHING, Host
from assay.advisories.matching import match
from assay.model.advisory import Installed, Origin, State

DB = database.embedded()


def states(installed, host=NOTHING):
    answer = match(DB, installed, host)
    assert not answer.unread
    return {a.advisory.id: a for a in answer.assessments}


def driver(version):
    return Installed("nvidia-driver", version, Origin.MODULE)


@pytest.mark.parametrize(
    "release", ["6.8.0-1007-nvidia", "6.8.0-1054-nvidia", "6.8.0-1003-gke", "6.8.0-1056-ibm"]
)
def test_abi_numbers_restart_in_each_flavour(release):
    assert states(kernels.installed(release))["CVE-2026-46300"].state is State.AFFECTED


@pytest.mark.parametrize("release", ["6.8.0-1055-nvidia", "6.8.0-124-generic", "6.8.0-1057-ibm"])
def test_the_flavours_own_fix_clears(release):
    assert states(kernels.installed(release))["CVE-2026-46300"].state is State.FIXED


def test_generic_124_is_newer_than_nvidia_1054_in_nothing_but_the_number():
    found = states(kernels.installed("6.8.0-1054-nvidia", "#57-Ubuntu SMP PREEMPT_DYNAMIC"))
    assert found["CVE-2026-46300"].fix == "6.8.0-1055.58"
    assert "noble/linux-nvidia" in found["CVE-2026-46300"].because


def test_the_same_base_on_the_older_release_is_another_source_package():
    kernel = kernels.installed("6.8.0-124-generic", "#124~22.04.1-Ubuntu SMP")
    assert (kernel.release, kernel.source) == ("jammy", "linux-hwe-6.8")
    assert states(kernel)["CVE-2026-46300"].state is State.FIXED
    older = kernels.installed("6.8.0-1056-aws", "#58~22.04.1-Ubuntu SMP")
    assert older.source == "linux-aws-6.8"
    assert states(older)["CVE-2026-46300"].state is State.AFFECTED


def test_runc_1_2_8_is_affected_because_nothing_below_1_3_6_is_fixed():
    found = states(Installed("runc", "1.2.8"))["CVE-2026-41579"]
    assert (found.state, found.fix) == (State.AFFECTED, "1.3.6")
    for version, state in [
        ("1.3.6", State.FIXED), ("1.3.5", State.AFFECTED), ("1.4.2", State.AFFECTED),
        ("1.4.3", State.FIXED), ("1.5.0-rc.2", State.AFFECTED), ("1.5.0-rc.3", State.FIXED),
    ]:  # fmt: skip
        assert states(Installed("runc", version))["CVE-2026-41579"].state is state, version


def test_a_driver_past_its_end_of_life_is_unassessed_not_clear():
    found = states(driver("570.211.01"))
    counts = {state: sum(a.state is state for a in found.values()) for state in State}
    assert counts[State.AFFECTED] == 0
    assert counts[State.UNASSESSED] == 11
    assert "ended 2026-01-27" in found["CVE-2026-24193"].because


def test_the_last_build_of_r535_has_no_affected():
    found = states(driver("535.309.01"))
    assert not [a for a in found.values() if a.state in (State.AFFECTED, State.UNASSESSED)]


def test_thirteen_for_580_95_05():
    found = states(driver("580.95.05"))
    assert sum(a.state is State.AFFECTED for a in found.values()) == 13


def test_a_distribution_build_never_fails_on_the_upstream_number():
    for thing in (
        Installed("docker-engine", "24.0.7-0ubuntu4.1", Origin.DISTRO, distro="ubuntu:24.04"),
        Installed("runc", "1.1.5+ds1-1+deb12u1", Origin.DISTRO, distro="debian:12"),
    ):
        found = states(thing).values()
        assert not [a for a in found if a.state is State.AFFECTED]
        assert [a for a in found if a.state is State.UNKNOWN]
        assert [a for a in found if a.state is State.FIXED]  # its number clears what is older


def test_a_changelog_proves_a_backport_and_its_silence_proves_nothing():
    thing = Installed(
        "runc", "1.1.5+ds1-1+deb12u1", Origin.DISTRO, distro="debian:12", source="runc"
    )
    found = states(thing, Host(frozenset({("runc", "CVE-2024-21626")})))
    assert found["CVE-2024-21626"].state is State.BACKPORTED
    assert "changelog of runc" in found["CVE-2024-21626"].because
    assert found["CVE-2026-41579"].state is State.UNKNOWN


def test_docker_engine_versions_not_the_frozen_module_path():
    found = states(Installed("docker-engine", "5:29.3.0-1~ubuntu.24.04~noble", Origin.VENDOR))
    assert found["CVE-2026-34040"].state is State.AFFECTED
    assert found["CVE-2022-24769"].state is State.FIXED


def test_a_v2_range_starts_at_the_major_of_its_module():
    # 0 -> 2.0.4 of a /v2 module says nothing about 1.x
    for record in DB.of("containerd"):
        for row in record.ranges:
            if row.fixed.startswith("2.") and not row.introduced:
                pytest.fail(f"{record.id}: a range from nothing to {row.fixed}")


def test_crun_is_not_concerned_by_the_toolkits_hook():
    toolkit = Installed("nvidia-container-toolkit", "1.17.7")
    assert states(toolkit)["CVE-2025-23266"].state is State.AFFECTED
    assert "not looked at" in states(toolkit)["CVE-2025-23266"].because
    crun = states(toolkit, Host(features={"crun": True}))
    assert crun["CVE-2025-23266"].state is State.NOT_AFFECTED
    assert crun["CVE-2025-23267"].state is State.AFFECTED


def test_stepmgr_is_a_condition():
    slurm = Installed("slurm", "24.05.3")
    assert states(slurm)["CVE-2024-48936"].state is State.AFFECTED
    off = states(slurm, Host(features={"stepmgr": False}))
    assert off["CVE-2024-48936"].state is State.NOT_AFFECTED


def test_a_kubelet_is_not_an_apiserver():
    kubelet = states(Installed("kubernetes", "1.24.1", part="kubelet"))
    assert kubelet["CVE-2022-3162"].state is State.NOT_AFFECTED
    assert kubelet["CVE-2023-2431"].state is State.AFFECTED


def test_vgpu_host_and_guest_differ_in_each_row():
    host = states(Installed("nvidia-vgpu-manager", "580.159.01"))["CVE-2026-24199"]
    guest = states(Installed("nvidia-vgpu-guest-driver", "580.159.01"))["CVE-2026-24199"]
    assert (host.state, guest.state) == (State.FIXED, State.AFFECTED)
    release = states(Installed("nvidia-vgpu-manager", "19.4"))["CVE-2026-24199"]
    assert (release.state, release.fix) == (State.AFFECTED, "19.5")


def test_firmware_compares_in_its_train():
    assert states(Installed("connectx-firmware", "28.39.8002"))["CVE-2025-23350"].state is (
        State.FIXED
    )
    assert states(Installed("connectx-firmware", "28.43.8001"))["CVE-2025-23350"].state is (
        State.AFFECTED
    )
    # a train between the listed ones is nobody's: not a pass
    assert states(Installed("connectx-firmware", "28.44.1036"))["CVE-2025-23350"].state is (
        State.UNASSESSED
    )


def test_a_bmc_stack_version_is_not_the_oems_string():
    assert {a.state for a in states(Installed("ami-megarac", "1.74.12")).values()} == {
        State.UNKNOWN
    }


def test_an_upstream_kernel_compares_in_its_series():
    assert states(kernels.installed("6.6.140"))["CVE-2026-46300"].state is State.AFFECTED
    assert states(kernels.installed("6.6.141"))["CVE-2026-46300"].state is State.FIXED
    assert states(kernels.installed("7.1.0"))["CVE-2026-46300"].state is State.FIXED
    assert states(kernels.installed("6.8.12"))["CVE-2026-46300"].state is State.UNASSESSED
    # several fix commits in one series: only the last one closes it
    assert states(kernels.installed("6.1.167"))["CVE-2026-23360"].state is State.AFFECTED


def test_upstream_rows_do_not_convict_a_distribution_kernel():
    debian = kernels.installed(
        "6.1.0-18-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)", "debian", "12"
    )
    red_hat = kernels.installed("5.14.0-427.13.1.el9_4.x86_64", "", "rhel", "9.4")
    for kernel in (debian, red_hat):
        assert not [a for a in states(kernel).values() if a.state is State.AFFECTED]
    fixed = [a for a in states(debian).values() if a.state is State.FIXED]
    assert fixed  # Debian follows 6.1.y, so what 6.1.76 has is there


def test_a_live_patch_counts_only_with_its_record():
    kernel = kernels.installed("6.8.0-1054-nvidia", "#57-Ubuntu SMP")
    patched = Host(livepatches=("lkp_Ubuntu_6_8_0_1054_57_nvidia_112",))
    assert states(kernel, patched)["CVE-2026-46300"].state is State.AFFECTED


@pytest.mark.parametrize("text", ["", "unknown", "ERR!", "Driver/library version mismatch", "N/A"])
def test_an_unknown_version_is_never_guessed(text):
    answer = match(DB, driver(text))
    assert answer.unread.startswith(("unknown version", "its version could not be read"))
    assert not answer.assessments


def test_a_row_without_a_bound_is_no_finding():
    found = states(Installed("kubernetes", "1.31.0"))["CVE-2024-7598"]
    assert found.state is State.UNKNOWN
    assert "no version" in found.because
