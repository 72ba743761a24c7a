"""A file system can be full of small files while it has space left."""

from collections.abc import Iterator, Sequence

from assay.checks.storage.kinds import writable
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.storage import FileSystemUsage, Mount
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.filesystems import STATFS

FULL = 0.95


@check(
    "storage.inodes",
    asks="Does every writable file system have at least 5 % of its inodes free?",
    severity=Severity.MEDIUM,
    why="Without inodes no file can be made, whatever df says about space: Python environments "
    "and unpacked images use them up.",
    fix="Remove trees of small files (caches, environments, image layers), or make the file "
    "system anew with more inodes.",
    see=["https://man7.org/linux/man-pages/man2/statfs.2.html"],
    reproduce="df -i",
    plants=[
        plant(Edit(STATFS.source, path="/", old=" 59473920 58000000\n", new=" 59473920 90000\n")),
    ],
)
def inodes(usage: Sequence[FileSystemUsage], mounts: Sequence[Mount]) -> Iterator[Verdict]:
    """Compare the free inodes of each file system with their number."""
    wanted = writable(mounts)
    for found in usage:
        mount = wanted.get(found.mount_point)
        if mount is not None and found.error and not mount.fstype.startswith("fuse"):
            yield unknown(found.mount_point, f"statfs: {found.error}")
        if found.mount_point not in wanted or not found.inodes or found.inodes_free is None:
            continue
        free = found.inodes_free / found.inodes
        said = f"{free:.1%} of {found.inodes} inodes free"
        if 1 - free > FULL:
            yield failed(found.mount_point, f"{said}, at least 5 % is wanted")
        else:
            yield passed(found.mount_point, said)
