"""A full file system ends jobs, and often the services of the node itself."""

from collections.abc import Iterator, Sequence

from assay.checks.storage.kinds import writable
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.storage import FileSystemUsage, Mount
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.filesystems import STATFS

FULL = 0.95  # node-problem-detector, kubelet (nodefs.available < 10 %) and df users warn by here
GIB = 1 << 30
SYSTEM = ("/", "/var", "/var/lib", "/tmp", "/var/log", "/boot", "/usr")  # noqa: S108


@check(
    "storage.space",
    asks="Does every writable file system have at least 5 % of its space free?",
    severity=Severity.MEDIUM,
    why="Images cannot be unpacked, checkpoints are cut short, and a full root file system takes "
    "the node's services down.",
    fix="Remove what is not needed (images, logs, core dumps, old checkpoints) or grow the file "
    "system.",
    see=["https://man7.org/linux/man-pages/man2/statfs.2.html"],
    reproduce="df -h",
    plants=[
        plant(
            Edit(
                STATFS.source,
                path="/",
                new="ext4 4096 233814016 2500000 1200000 59473920 58000000\n",
            )
        ),
    ],
)
def space(usage: Sequence[FileSystemUsage], mounts: Sequence[Mount]) -> Iterator[Verdict]:
    """Compare the free space of each file system with its size."""
    wanted = writable(mounts)
    for found in usage:
        mount = wanted.get(found.mount_point)
        if mount is not None and found.error and not mount.fstype.startswith("fuse"):
            yield unknown(found.mount_point, f"statfs: {found.error}")
        if found.mount_point not in wanted or not found.size or found.free is None:
            continue
        free = found.free / found.size
        said = f"{free:.1%} free ({found.free / GIB:.1f} of {found.size / GIB:.1f} GiB)"
        if 1 - free > FULL:
            severity = Severity.HIGH if found.mount_point in SYSTEM else None
            yield failed(found.mount_point, f"{said}, at least 5 % is wanted", severity=severity)
        else:
            yield passed(found.mount_point, said)
