"""File systems, arrays and disks: faults, and what only looks like one."""

import pytest

from assay.engine.catalogue import catalogue
from assay.model.facts.disks import NvmeController, RaidArray
from assay.model.facts.storage import FileSystemUsage, Mount
from assay.model.outcome import Outcome, Severity, worst

CHECKS = {check.id: check for check in catalogue().checks}


NA, PASS, UNKNOWN, FAIL = Outcome


GIB = 1 << 30


def verdicts(id, *given):
    return list(CHECKS[id].judge(*given))


def outcome(id, *given):
    return worst(verdict.outcome for verdict in verdicts(id, *given))


def severities(id, *given):
    return {v.severity for v in verdicts(id, *given) if v.outcome is FAIL}


def usage(point, size=100, free=50, inodes=100, inodes_free=50, error=""):
    return FileSystemUsage(point, size, free, inodes, inodes_free, error)


def mount(point, fstype, device="/dev/sda1", options="rw", own="rw"):
    return Mount(
        point, fstype, device, tuple(options.split(",")), tuple(own.split(",")) if own else (),
        read_only="ro" in options.split(","),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "own", "expected"),
    [
        ("rw", "rw,errors=remount-ro", PASS),
        ("rw", "ro,errors=remount-ro", FAIL),
        ("rw", "rw,emergency_ro", FAIL),
        ("rw", "rw,shutdown", FAIL),
        ("ro", "ro", NA),
        ("ro", "rw", NA),  # a bind mount that was made read-only
        ("rw", "", NA),  # `mount` does not show the file system's own options
    ],
)
def test_read_only(options, own, expected):
    assert outcome("storage.read-only", [mount("/", "ext4", options=options, own=own)]) is expected


@pytest.mark.parametrize("fstype", ["squashfs", "iso9660", "erofs", "overlay", "tmpfs"])
def test_read_only_by_nature(fstype):
    assert outcome("storage.read-only", [mount("/snap/x", fstype, own="ro")]) is NA


def test_space_and_inodes_of_data_only():
    full = [usage("/", 100, 1, 100, 1)]
    assert severities("storage.space", full, [mount("/", "ext4")]) == {Severity.HIGH}
    assert outcome("storage.inodes", full, [mount("/", "ext4")]) is FAIL
    for kind in ("squashfs", "overlay", "tmpfs"):
        assert outcome("storage.space", full, [mount("/", kind)]) is NA
    assert outcome("storage.space", full, [mount("/", "ext4", options="ro")]) is NA
    shared = [usage("/home", 100, 30)]
    assert outcome("storage.space", shared, [mount("/home", "lustre", "mgs:/fs")]) is PASS


def test_hung_mounts():
    mounts = [mount("/home", "nfs4", "nas:/home")]
    assert outcome("storage.hung-mount", [usage("/home", error="timeout")], mounts) is FAIL
    assert outcome("storage.hung-mount", [usage("/home", error="failed (x)")], mounts) is FAIL
    assert outcome("storage.hung-mount", [usage("/home", error="denied")], mounts) is NA
    assert outcome("storage.hung-mount", [usage("/home")], mounts) is PASS


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (RaidArray("md0", "active", "raid1", wanted=2, working=2), PASS),
        (RaidArray("md0", "active", "raid1", wanted=2, working=1), FAIL),
        (RaidArray("md0", "active", "raid5", failed=("sda",), wanted=3, working=3), FAIL),
        (RaidArray("md0", "inactive"), FAIL),
        (RaidArray("md0", "active", "raid0", ("a", "b")), PASS),
        (RaidArray("md0", "active", "raid5"), UNKNOWN),
    ],
)
def test_raid(array, expected):
    assert outcome("storage.raid", [array]) is expected


@pytest.mark.parametrize(
    ("state", "expected"), [("live", PASS), ("dead", FAIL), ("connecting", FAIL), ("", UNKNOWN)]
)
def test_nvme(state, expected):
    assert outcome("storage.nvme-state", [NvmeController("nvme0", state)]) is expected
