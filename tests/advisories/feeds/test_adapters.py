"""Adapters on small documents of each feed's real shape, written for these tests."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.advisories import database
from assay.advisories.feeds import (
    cve5,
    debian_tracker,
    endoflife,
    govulndb,
    kernel_cna,
    kev,
    nvd_overrides,
    nvidia_csaf,
    redhat_vex,
    refresh,
    slurm_changelog,
    ubuntu,
)
from assay.advisories.feeds.feed import BadFeed, Exploited
from assay.model.advisory import Advisory, Range
from assay.model.outcome import Severity


def data(value):
    return json.dumps(value).encode()


KEV = {
    "title": "Known exploited", "count": 1,
    "vulnerabilities": [{"cveID": "CVE-2030-1", "dateAdded": "2030-02-01", "product": "x"}],
}  # fmt: skip
GO = {
    "schema_version": "1.3.1",
    "id": "GO-2030-0001",
    "aliases": ["CVE-2030-1000", "GHSA-aaaa-bbbb-cccc"],
    "published": "2030-01-02T03:04:05Z",
    "affected": [
        {
            "package": {"name": "github.com/containerd/containerd", "ecosystem": "Go"},
            "ranges": [{"type": "SEMVER", "events": [
                {"introduced": "0"}, {"fixed": "1.7.40"},
            ]}],
        },
        {
            "package": {"name": "github.com/containerd/containerd/v2", "ecosystem": "Go"},
            "ranges": [{"type": "SEMVER", "events": [
                {"introduced": "0"}, {"fixed": "2.0.4"},
                {"introduced": "2.1.0"}, {"fixed": "2.1.9"},
            ]}],
        },
        {
            "package": {"name": "github.com/docker/docker", "ecosystem": "Go"},
            "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
        },
    ],
    "references": [{"type": "ADVISORY", "url": "https://github.com/a/b/security/advisories/1"}],
}  # fmt: skip
DYAD = b"""# dyad version: 0123456789ab
# \tgetting vulnerable:fixed pairs for git id 0011
5.10:aa11:5.10.260:bb22
5.10:aa11:6.6.150:cc33
6.8.7:dd44:0:0
5.10:aa11:7.1:ee55
"""
SLURM = b"""# Slurm

## Changes in Slurm 24.11.9

* Fix a crash. CVE-2030-2000.

## Changes in Slurm 24.11.8

* Nothing of note.
"""
DEBIAN = {
    "runc": {
        "CVE-2030-3000": {
            "description": "...",
            "releases": {
                "bookworm": {"status": "resolved", "fixed_version": "1.1.5+ds1-1+deb12u3",
                             "urgency": "not yet assigned"},
                "trixie": {"status": "resolved", "fixed_version": "0", "urgency": "low"},
                "sid": {"status": "open", "urgency": "not yet assigned"},
            },
        }
    },
    "gimp": {"CVE-2030-3001": {"releases": {"sid": {"status": "open"}}}},
}  # fmt: skip
UBUNTU = {
    "schema_version": "1.7.0",
    "id": "UBUNTU-CVE-2030-4000",
    "upstream": ["CVE-2030-4000"],
    "published": "2030-03-01T00:00:00Z",
    "severity": [{"type": "Ubuntu", "score": "high"}],
    "affected": [
        {
            "package": {"ecosystem": "Ubuntu:24.04:LTS", "name": "linux-nvidia"},
            "ranges": [{"type": "ECOSYSTEM", "events": [
                {"introduced": "0"}, {"fixed": "6.8.0-1070.74"}]}],
        },
        {
            "package": {"ecosystem": "Ubuntu:22.04:LTS", "name": "docker.io"},
            "ranges": [{"type": "ECOSYSTEM", "events": [
                {"introduced": "0"}, {"fixed": "24.0.7-0ubuntu2~22.04.2"}]}],
        },
        {
            "package": {"ecosystem": "Ubuntu:24.04:LTS", "name": "linux-firmware"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}]}],
        },
    ],
}  # fmt: skip
LSN = {
    "notices": [
        {
            "id": "LSN-0120-1", "published": "2030-04-01T10:00:00",
            "cves_ids": ["CVE-2026-46300"],
            "release_packages": {"noble": [{"name": "nvidia", "version": "120.1"}]},
        },
        {"id": "USN-1-1", "release_packages": {}, "cves_ids": []},
    ]
}  # fmt: skip
REDHAT = {
    "document": {"category": "csaf_vex", "csaf_version": "2.0"},
    "vulnerabilities": [
        {
            "cve": "CVE-2030-5000",
            "release_date": "2030-05-01T00:00:00+00:00",
            "product_status": {
                "fixed": [
                    "BaseOS-9.4.0.Z.MAIN.EUS:kernel-0:5.14.0-427.99.1.el9_4.src",
                    "BaseOS-9.6.0.Z.MAIN:kernel-0:5.14.0-570.12.1.el9.src",
                    "AppStream-9.6.0.Z.MAIN:bash-0:5.1-1.el9.src",
                ],
                "known_affected": ["red_hat_enterprise_linux_8:kernel"],
                "known_not_affected": ["red_hat_enterprise_linux_10:runc"],
            },
        }
    ],
}
CVE5 = {
    "dataType": "CVE_RECORD", "dataVersion": "5.1",
    "cveMetadata": {"cveId": "CVE-2030-6000", "state": "PUBLISHED",
                    "assignerShortName": "GitHub_M", "datePublished": "2030-06-01T00:00:00.000Z"},
    "containers": {"cna": {
        "affected": [{"vendor": "opencontainers", "product": "runc", "versions": [
            {"status": "affected", "version": ">= 1.4.0, < 1.4.9"},
            {"status": "affected", "version": "< 1.3.9"},
            {"status": "unaffected", "version": "1.5.0"},
        ]}],
        "metrics": [{"cvssV3_1": {"baseScore": 7.8, "baseSeverity": "HIGH",
                                  "vectorString": "CVSS:3.1/AV:L"}}],
        "references": [{"url": "https://example.org/a"}],
    }},
}  # fmt: skip
NVD = {
    "_annotation": {"cve_id": "CVE-2030-7000", "published": "2030-07-01T00:00:00.000Z",
                    "references": ["https://example.org/b"]},
    "cve": {"configurations": [{"nodes": [{"cpeMatch": [
        {"criteria": "cpe:2.3:a:openbsd:openssh:*:*:*:*:*:*:*:*", "vulnerable": True,
         "versionStartIncluding": "9.5", "versionEndExcluding": "10.9"},
        {"criteria": "cpe:2.3:a:other:thing:*:*:*:*:*:*:*:*", "vulnerable": True},
    ]}]}]},
}  # fmt: skip


def product(os, name, text, id):
    return {"category": "product_version", "name": name,
            "product": {"name": text, "product_id": id}}  # fmt: skip


CSAF = {
    "document": {"csaf_version": "2.0", "tracking": {"id": "5999"}},
    "product_tree": {"branches": [{"branches": [
        {"category": "architecture", "name": "Linux", "branches": [
            product("Linux", "Tesla", "All driver versions prior to 580.200.01", "a1"),
            product("Linux", "Tesla", "580.200.01", "f1"),
            product("Linux", "Tesla", "All driver versions prior to 595.90.02", "a2"),
            product("Linux", "Tesla", "595.90.02", "f2"),
            product("Linux", "NVIDIA Container Toolkit",
                    "All versions up to and including 1.30.0 (only when CDI is enabled)", "a3"),
            product("Linux", "NVIDIA Container Toolkit", "1.30.1", "f3"),
        ]},
        {"category": "architecture", "name": "Windows", "branches": [
            product("Windows", "GeForce", "All driver versions prior to 581.42", "w1"),
        ]},
    ], "category": "vendor", "name": "NVIDIA"}]},
    "vulnerabilities": [{
        "cve": "CVE-2030-8000",
        "cwe": {"id": "CWE-59"},
        "release_date": "2030-08-01T00:00:00Z",
        "product_status": {"known_affected": ["a1", "a2", "a3", "w1"],
                           "fixed": ["f1", "f2", "f3"]},
        "scores": [{"cvss_v3": {"baseScore": 8.8, "baseSeverity": "HIGH",
                                "vectorString": "CVSS:3.1/AV:L"}}],
    }],
}  # fmt: skip


def test_kev():
    assert list(kev.parse(data(KEV))) == [Exploited("CVE-2030-1", "2030-02-01")]
    with pytest.raises(BadFeed, match="counts"):
        list(kev.parse(data({**KEV, "count": 2})))


def test_a_go_module_of_major_two_starts_at_two():
    (found,) = govulndb.parse(data(GO))
    assert found.component == "containerd"
    assert found.id == "CVE-2030-1000"
    assert found.ranges == (
        Range(fixed="1.7.40"), Range("2.0.0-0", "2.0.4"), Range("2.1.0", "2.1.9"),
    )  # fmt: skip
    assert found.severity is None
    assert list(govulndb.parse(data({**GO, "withdrawn": "2030-02-02T00:00:00Z"}))) == []


def test_kernel_pairs():
    (found,) = kernel_cna.parse(DYAD, "cve/published/2030/CVE-2030-9000.dyad")
    assert found.id == "CVE-2030-9000"
    assert found.ranges == (
        Range("5.10", "5.10.260", branch="5.10", inside=True),
        Range("5.10", "6.6.150", branch="6.6", inside=True),
        Range("6.8.7", branch="6.8", inside=True),
        Range("5.10", "7.1", branch="mainline", inside=True),
    )


def test_slurm_changelog():
    (found,) = slurm_changelog.parse(SLURM)
    assert (found.id, found.ranges) == (
        "CVE-2030-2000", (Range("24.11", "24.11.9", branch="24.11"),)
    )  # fmt: skip


def test_debian_tracker():
    (found,) = debian_tracker.parse(data(DEBIAN))
    assert found.component == "debian/runc"
    assert {row.branch: row.fixed for row in found.ranges} == {
        "bookworm": "1.1.5+ds1-1+deb12u3", "trixie": "0", "sid": "",
    }  # fmt: skip


def test_ubuntu_osv():
    kernels, docker = ubuntu.parse(data(UBUNTU))
    assert kernels.component == "ubuntu-kernel"
    assert kernels.ranges == (
        Range(fixed="6.8.0-1070.74", branch="noble/linux-nvidia", inside=True),
    )
    assert (docker.component, docker.ranges[0].branch) == ("ubuntu/docker.io", "jammy")
    assert docker.severity is Severity.HIGH


def test_live_patch_notices():
    (found,) = ubuntu.live_patches(data(LSN))
    assert found.component == "ubuntu-livepatch"
    assert found.ranges == (Range(fixed="120.1", branch="noble/nvidia", inside=True),)


def test_red_hat_vex():
    found = {f.component: f for f in redhat_vex.parse(data(REDHAT))}
    rows = {row.branch: row.fixed for row in found["redhat/kernel"].ranges}
    assert rows == {"8": "", "9": "0:5.14.0-570.12.1.el9"}
    assert found["redhat/runc"].ranges == (Range(fixed="0", branch="10", inside=True),)


def test_cve_records():
    (found,) = cve5.parse(data(CVE5))
    assert found.component == "runc"
    assert found.ranges == (Range("1.4.0", "1.4.9"), Range(fixed="1.3.9"))
    assert (found.severity, found.cvss) == (Severity.HIGH, 7.8)


def test_nvd_overrides():
    (found,) = nvd_overrides.parse(data(NVD))
    assert (found.component, found.ranges) == ("openssh", (Range("9.5", "10.9"),))


def test_nvidia_bulletins_pair_affected_with_fixed():
    found = {f.component: f for f in nvidia_csaf.parse(data(CSAF))}
    assert set(found) == {"nvidia-driver", "nvidia-container-toolkit"}  # nothing of Windows
    assert found["nvidia-driver"].ranges == (
        Range(fixed="580.200.01", branch="R580", inside=True),
        Range(fixed="595.90.02", branch="R595", inside=True),
    )
    (toolkit,) = found["nvidia-container-toolkit"].ranges
    assert (toolkit.last_affected, toolkit.fixed) == ("1.30.0", "1.30.1")
    assert toolkit.conditions == ("only when CDI is enabled",)


def test_end_of_life():
    cycles = [{"cycle": "9.9", "eol": "2031-01-01"}, {"cycle": "10", "eol": False}]
    (found,) = endoflife.parse(data(cycles), "containerd")
    assert (found.cycle, found.ends) == ("9.9", "2031-01-01")
    with pytest.raises(BadFeed):
        list(endoflife.parse(data([{"cycle": "1", "eol": "soon"}]), "containerd"))


SOUND = {
    "cisa-kev": (data(KEV), ""),
    "govulndb": (data(GO), ""),
    "linux-cna": (DYAD, "cve/published/2030/CVE-2030-9000.dyad"),
    "slurm-changelog": (SLURM, ""),
    "debian-tracker": (data(DEBIAN), ""),
    "ubuntu-osv": (data(UBUNTU), ""),
    "ubuntu-lsn": (data(LSN), ""),
    "redhat-vex": (data(REDHAT), ""),
    "cvelistv5": (data(CVE5), ""),
    "nvd-data-overrides": (data(NVD), ""),
    "nvidia-csaf": (data(CSAF), ""),
}


def test_every_feed_has_an_adapter_that_is_tested_here():
    assert set(refresh.all_feeds()) == set(SOUND)
    for feed in refresh.all_feeds().values():
        assert feed.summary.endswith(".")
        assert feed.licence
        assert all(url.startswith("https://") for url in feed.urls)


@pytest.mark.parametrize("name", sorted(SOUND))
def test_what_an_adapter_gives_is_valid(name):
    feed = refresh.all_feeds()[name]
    found = refresh.read(feed, [(SOUND[name][1], SOUND[name][0])])
    records = [f for f in found if isinstance(f, Advisory)]
    built = database.build(records, as_of="2030-09-01", sources=[])
    assert built.records == len(records)


@pytest.mark.parametrize("name", sorted(SOUND))
@given(at=st.integers(0, 4000), junk=st.binary(max_size=6))
def test_a_damaged_document_is_read_or_refused(name, at, junk):
    sound, where = SOUND[name]
    at %= len(sound)
    for damaged in (sound[:at], sound[:at] + junk + sound[at:], junk):
        try:
            list(refresh.all_feeds()[name].parse(damaged, where))
        except BadFeed:
            continue


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from places(item, (*path, at))


def changed(value, path, junk):
    if not path:
        return junk
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], junk)
    return copy


JSON = {"cisa-kev": KEV, "govulndb": GO, "debian-tracker": DEBIAN, "ubuntu-osv": UBUNTU,
        "ubuntu-lsn": LSN, "redhat-vex": REDHAT, "cvelistv5": CVE5, "nvd-data-overrides": NVD,
        "nvidia-csaf": CSAF}  # fmt: skip


@pytest.mark.parametrize("name", sorted(JSON))
@pytest.mark.parametrize("junk", [None, 3, "x", [], {}, [3], [{}], True, ["x"]], ids=repr)
def test_any_value_replaced_by_junk_is_read_or_refused(name, junk):
    for path in places(JSON[name]):
        try:
            list(refresh.all_feeds()[name].parse(data(changed(JSON[name], path, junk)), ""))
        except BadFeed:
            continue


WRONG_SHAPES = [
    b"[]", b"3", b"null", b'"x"', b"{}", b'{"affected": 3}', b'{"id": "x", "affected": [3]}',
    b'{"vulnerabilities": {}}', b'{"runc": 3}', b'{"cveMetadata": 1}',
    b'{"document": {"category": "csaf_vex"}, "vulnerabilities": [1]}',
    b'{"notices": [{"id": "LSN-1"}]}',
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(SOUND))
@pytest.mark.parametrize("wrong", WRONG_SHAPES)
def test_a_document_of_another_shape_is_refused(name, wrong):
    try:
        found = list(refresh.all_feeds()[name].parse(wrong, "x"))
    except BadFeed:
        return
    assert not found
