"""Installed packages, and the fixes that changelogs prove."""

import gzip

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.kit.pack import Entry, dump
from assay.kit.probe import registry
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.software import ChangelogFix, Package
from assay.probes import changelogs, packages


def run(id, *captures):
    catalogue()
    found = understand(registry[id], Evidence("n", {c.source: c for c in captures}))
    assert found.error is None
    return found


def said(reading, text, **more):
    return Capture(reading.source, text.encode(), **({"exit_code": 0} | more))


def packed(reading, files):
    entries = [Entry(p, t if isinstance(t, bytes) else t.encode()) for p, t in files.items()]
    return Capture(reading.source, dump(entries))


def test_dpkg_keeps_what_is_on_the_disk_with_its_source_package():
    text = (
        "ii \trunc\t1.1.12-0ubuntu2~22.04.1\tamd64\trunc\t1.1.12-0ubuntu2~22.04.1\tU <u@e.org>\n"
        "rc \tslurmd\t21.08.5-2ubuntu1\tamd64\tslurm-wlm\t21.08.5-2ubuntu1\tD <d@e.org>\n"
        "hi \tlinux-image-6.8.0-1007-nvidia\t6.8.0-1007.7\tamd64\tlinux-signed\t6.8.0-1007.7\tC\n"
        "iU \tlibc6\t2.35-0ubuntu3.8\tamd64\tglibc\t2.35-0ubuntu3.8\t\n"
    )
    found = run("software.dpkg", said(packages.DPKG, text))
    assert [(p.name, p.version, p.source) for p in found.facts] == [
        ("runc", "1.1.12-0ubuntu2~22.04.1", "runc"),
        ("linux-image-6.8.0-1007-nvidia", "6.8.0-1007.7", "linux-signed"),
        ("libc6", "2.35-0ubuntu3.8", "glibc"),
    ]
    assert found.facts[0].vendor == "U <u@e.org>"


def test_a_line_that_is_no_package_is_unread():
    found = run("software.dpkg", said(packages.DPKG, "dpkg-query: error: the database is locked\n"))
    assert not found.facts
    assert "database is locked" in found.unread


def test_rpm_gives_the_epoch_and_the_source_package():
    text = (
        "openssh-server\t8.7p1-38.el9_4.4\tx86_64\topenssh-8.7p1-38.el9_4.4.src.rpm\tRocky\n"
        "docker-ce\t3:27.3.1-1.el9\tx86_64\tdocker-ce-27.3.1-1.el9.src.rpm\tDocker\n"
        "gpg-pubkey\t350d275d-6279464b\t(none)\t(none)\t(none)\n"
        "local-thing\t1.0-1\tnoarch\t(none)\t(none)\n"
    )
    found = run("software.rpm", said(packages.RPM, text))
    assert found.facts == (
        Package("rpm", "openssh-server", "8.7p1-38.el9_4.4", "x86_64", "openssh",
                "8.7p1-38.el9_4.4", "Rocky"),
        Package("rpm", "docker-ce", "3:27.3.1-1.el9", "x86_64", "docker-ce", "27.3.1-1.el9",
                "Docker"),
        Package("rpm", "local-thing", "1.0-1", "noarch"),
    )  # fmt: skip


def test_no_package_manager_is_nothing_and_no_failure():
    for id, reading in (("software.dpkg", packages.DPKG), ("software.rpm", packages.RPM)):
        found = run(id, Capture(reading.source, status=Status.ABSENT))
        assert (found.facts, found.unread) == ((), "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "$ dpkg -l\nDesired=Unknown/Install/Remove/Purge/Hold\n"
            "||/ Name              Version      Architecture Description\n"
            "+++-=================-============-============-===========\n"
            "ii  libnccl2:amd64    2.27.7-1     amd64        NVIDIA NCCL\n"
            "rc  old               1            amd64        gone\n",
            Package("dpkg", "libnccl2", "2.27.7-1", "amd64"),
        ),
        (
            "bash-5.1.8-9.el9.x86_64\nglibc-2.34-100.el9_4.3.x86_64\ntzdata-2024a-1.el9.noarch\n",
            Package("rpm", "bash", "5.1.8-9.el9", "x86_64"),
        ),
    ],
)
def test_saved_package_lists_are_recognised(text, expected):
    parsed = parse(text.encode(), catalogue().probes)
    assert next(f for r in parsed.results for f in r.facts) == expected


def gz(text):
    return gzip.compress(text.encode(), mtime=0)


CHANGELOG = """\
openssh (1:8.9p1-3ubuntu0.11) jammy-security; urgency=medium

  * SECURITY UPDATE: regression
    - debian/patches/CVE-2024-0003.patch: removed, pending further investigation.
  * Revert the change for CVE-2024-0004, it breaks logins

 -- D <d@e.org>  Mon, 03 Feb 2025 09:00:00 +0000

openssh (1:8.9p1-3ubuntu0.10) jammy-security; urgency=medium

  * SECURITY UPDATE: remote code execution
    - debian/patches/CVE-2024-6387.patch: remove the signal handler in
      sshd.c.
    - CVE-2024-6387
  * SECURITY UPDATE: others
    - CVE-2024-0003, CVE-2024-0004
  * CVE-2024-0006 does not affect this version

 -- D <d@e.org>  Mon, 01 Jul 2024 09:00:00 +0000
"""


def test_a_fix_is_proven_unless_it_was_taken_back():
    path = "/usr/share/doc/openssh-server/changelog.Debian.gz"
    found = run("software.changelogs-debian", packed(changelogs.DEBIAN, {path: gz(CHANGELOG)}))
    assert found.facts == (ChangelogFix("openssh-server", "CVE-2024-6387"),)


def test_a_kernel_fixes_a_cve_by_reverting_a_bad_commit():
    text = (
        'linux (6.8.0-50.51) noble; urgency=medium\n\n  * CVE-2024-53057\n    - Revert "net: x"\n'
    )
    assert changelogs.fixed(text) == ["CVE-2024-53057"]


def test_a_damaged_changelog_is_unread_and_a_huge_one_is_cut():
    path = "/usr/share/doc/runc/changelog.Debian.gz"
    whole = gz(CHANGELOG)
    broken = whole[:14] + bytes([whole[14] ^ 0xFF, whole[15] ^ 0xFF]) + whole[16:]
    found = run("software.changelogs-debian", packed(changelogs.DEBIAN, {path: broken}))
    assert not found.facts
    bomb = gzip.compress(b"\0" * (64 << 20), mtime=0)
    found = run("software.changelogs-debian", packed(changelogs.DEBIAN, {path: bomb}))
    assert (found.facts, found.unread) == ((), "")


def test_rpm_changelogs_are_told_apart_by_package():
    text = (
        "@@ sudo\n- - Fix CVE-2025-32462\n- Resolves: RHEL-1\n- - Revert CVE-2023-1111 fix\n"
        "package crun is not installed\n@@ runc\n- - rebuild for CVE-2025-31133\n"
    )
    found = run("software.changelogs-rpm", said(changelogs.RPM, text, exit_code=1))
    assert found.facts == (
        ChangelogFix("sudo", "CVE-2025-32462"),
        ChangelogFix("runc", "CVE-2025-31133"),
    )


def test_a_list_without_packages_is_none():
    assert "no package" in run("software.dpkg", said(packages.DPKG, "")).unread
    assert "no package" in run("software.rpm", said(packages.RPM, "")).unread
    absent = Capture(packages.DPKG.source, status=Status.ABSENT)
    assert "no package" in run("software.rpm", said(packages.RPM, ""), absent).unread
    line = "ii \trunc\t1.1.12-1\tamd64\trunc\t1.1.12-1\tU <u@e.org>\n"
    beside = run("software.rpm", said(packages.RPM, ""), said(packages.DPKG, line))
    assert (beside.facts, beside.unread) == ((), "")
