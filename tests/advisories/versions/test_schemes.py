"""Every trap of version numbers that the field has met."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.advisories.versions import BadVersion, deb, parse, rpm, ubuntu_kernel, vgpu

ORDERED = [
    ("loose", "10.24.09", "10.24.09a"),
    ("loose", "10.24.09a", "10.24.10"),
    ("loose", "1.9.17", "1.9.17p1"),
    ("loose", "1.9.17p1", "1.9.17p2"),
    ("loose", "9.7p1", "9.8"),
    ("loose", "9.9p1", "9.9p2"),
    ("loose", "24.10-2.1.8.0", "24.10-3.2.5.0"),
    ("loose", "2.0.0rc0", "2.0.0"),
    ("loose", "1.3.0rc11", "1.3.0rc12"),
    ("loose", "0.8.5", "0.8.5.post1"),
    ("loose", "RomePI 1.0.0.9", "RomePI 1.0.0.C"),
    ("loose", "egs-1.05", "egs-1.09"),
    ("loose", "2.40-rc1", "2.40"),
    ("loose", "RELEASE.2024-06-06T09-36-42Z", "RELEASE.2025-02-28T09-55-16Z"),
    ("loose", "OpenSSH_9.2p1", "9.8"),
    ("loose", "22.11_2310.5", "22.11_24104.0"),
    ("loose", "S2W_3A06", "S2W_3A13"),
    ("go", "1.1.0-rc.9", "1.1.0-rc.10"),
    ("go", "1.0.0-rc93", "1.0.0-rc95"),
    ("go", "v1.5.0-rc.3", "1.5.0"),
    ("go", "2.0.0-0", "2.0.0-beta.1"),
    ("go", "2.0.0-beta.1", "2.0.0-rc.1"),
    ("go", "0.0.0-20180815103019-7c14cdb60e53", "0.0.0-20240328174456-468a9fae83e9"),
    ("go", "1.9.9", "1.10.0"),
    ("deb", "6.8.0-124.124~22.04.1", "6.8.0-124.124"),
    ("deb", "1.1.5+ds1-1", "1.1.5+ds1-1+deb12u1"),
    ("deb", "9.9", "1:1.0"),
    ("rpm", "1.1.12-3.el9", "4:1.1.9-1.el9"),
    ("rpm", "5.14.0-427.9.1.el9", "5.14.0-427.13.1.el9"),
    ("kernel", "6.6.99", "6.6.141"),
    ("kernel", "7.1-rc3", "7.1"),
    ("kernel", "6.18.44-fc-v669", "6.18.45"),
    ("ubuntu_kernel", "6.8.0-1054.57", "6.8.0-1055.58"),
    ("ubuntu_kernel", "6.8.0-1055.58", "6.8.0-1055.58.1"),
    ("ubuntu_kernel", "6.8.0-124.124", "6.8.0-1003.5"),
    ("driver", "580.95.05", "580.126.09"),
    ("driver", "470.82", "470.103.01"),
    ("cuda", "12.6", "12.6.1"),
    ("cuda", "12.6U1", "12.6.2"),
    ("cuda", "12.6 Update 2", "12.8"),
    ("connectx", "28.39.3560", "28.39.5050"),
    ("hpcsdk", "24.9", "24.11"),
    ("slurm", "21.08.8", "21.08.8-2"),
    ("slurm", "24.05.0rc1", "24.05.0"),
    ("slurm", "slurm-wlm 23.11.4", "24.05.4"),
    ("slurm", "24.05.9", "24.05.10"),
]


@pytest.mark.parametrize(("scheme", "low", "high"), ORDERED)
def test_order(scheme, low, high):
    assert parse(scheme, low).before(parse(scheme, high)) is True
    assert parse(scheme, high).before(parse(scheme, low)) is False


@pytest.mark.parametrize(
    ("scheme", "a", "b"),
    [
        ("cuda", "12.6U2", "12.6.2"),
        ("cuda", "12.6 Update 2", "12.6.2-1"),
        ("loose", "1.17", "1.17.0"),
        ("go", "v1.7.0+incompatible", "1.7"),
        ("deb", "0:1.0-1", "1.0-1"),
        ("slurm", "24.05.4", "slurm 24.05.4"),
        ("connectx", "28.39.3560", "39.3560"),
    ],
)
def test_spellings_of_one_version(scheme, a, b):
    assert parse(scheme, a).before(parse(scheme, b)) is False
    assert parse(scheme, b).before(parse(scheme, a)) is False


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        ("go", "24.0.7-0ubuntu4.1"),  # would sort before 24.0.7
        ("go", "unknown"),
        ("driver", "Failed to initialize NVML"),
        ("driver", "12.4"),  # the driver's CUDA version
        ("cuda", "550.54.15"),
        ("kernel", "N/A"),
        ("slurm", "24.06.1"),  # there was no such release
        ("hpcsdk", "24.13"),
        ("connectx", "28.39"),
        ("loose", ""),
        ("loose", "version unknown"),
        ("loose", "1." + "2" * 200),
        ("ubuntu_kernel", "6.8.0"),
        ("deb", "not_a_version"),
        ("rpm", "(none)"),
    ],
)
def test_what_is_no_version_is_refused(scheme, text):
    with pytest.raises(BadVersion):
        parse(scheme, text)


def test_a_compiler_build_hides_the_update():
    seen = parse("cuda", "12.6.77")
    assert seen.before(parse("cuda", "12.6.2")) is None
    assert seen.before(parse("cuda", "12.8")) is True
    assert seen.before(parse("cuda", "12.6")) is False
    assert parse("cuda", "V12.6.85").before(parse("cuda", "12.6.1")) is None


def test_a_slurm_series_is_any_release_of_it():
    series = parse("slurm", "24.05")
    assert series.before(parse("slurm", "24.05.4")) is None
    assert series.before(parse("slurm", "24.11.0")) is True
    assert parse("slurm", "24.05.3").before(series) is False  # as a bound it is its first release


def test_branches():
    assert parse("driver", "580.95.05").branch == "R580"
    assert parse("kernel", "6.6.50").branch == "6.6"
    assert parse("connectx", "28.43.8002").branch == "43"
    assert parse("connectx", "28.43.8002").device == "ConnectX-7"
    assert parse("connectx", "24.35.3006").device == "BlueField-2"


def test_the_upstream_number_inside_a_package_version():
    assert deb.upstream("24.0.7-0ubuntu4.1") == "24.0.7"
    assert deb.upstream("1.1.5+ds1-1+deb12u1") == "1.1.5"
    assert deb.upstream("1:9.2p1-2+deb12u3") == "9.2p1"
    assert deb.upstream("5:27.5.1-1~ubuntu.22.04~jammy") == "27.5.1"
    assert deb.upstream("1.6.20~ds1-1+deb12u1") == "1.6.20"
    assert rpm.upstream("4:1.1.12-3.el9") == "1.1.12"


def test_an_ubuntu_kernel_by_uname():
    assert ubuntu_kernel.flavour("6.8.0-1054-nvidia") == "nvidia"
    assert ubuntu_kernel.flavour("6.8.0-1003-nvidia-lowlatency") == "nvidia-lowlatency"
    assert ubuntu_kernel.flavour("6.6.50") == ""
    version = ubuntu_kernel.package_version(
        "6.8.0-1057-aws", "#60~22.04.1-Ubuntu SMP Tue May 12 09:00:00 UTC 2026"
    )
    assert version == "6.8.0-1057.60~22.04.1"


def test_vgpu_releases_and_builds():
    assert vgpu.is_release("16.14")
    assert not vgpu.is_release("580.159.01")
    assert vgpu.release("16.9").before(vgpu.release("16.14")) is True


SEMVER = r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(-(alpha|beta|rc)\.[0-9]{1,2})?"
SCHEMES = sorted({name for name, _, _ in ORDERED} | {"vgpu"})


@pytest.mark.parametrize("scheme", SCHEMES)
@given(text=st.text(max_size=40))
def test_junk_is_a_version_or_refused(scheme, text):
    try:
        version = parse(scheme, text)
    except BadVersion:
        return
    assert version.before(version) in (False, None)


@given(
    a=st.from_regex(SEMVER, fullmatch=True),
    b=st.from_regex(SEMVER, fullmatch=True),
)
def test_go_agrees_with_univers(a, b):
    from univers.versions import GolangVersion

    try:
        expected = GolangVersion(a) < GolangVersion(b)
    except Exception:  # noqa: BLE001 - leading zeros are no semantic version there
        return
    assert parse("go", a).before(parse("go", b)) is expected
