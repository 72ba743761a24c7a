"""A file system that met an error makes itself read-only, and every write fails from then on."""

from collections.abc import Iterator, Sequence

from assay.checks.storage.kinds import LOCAL
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.storage import Mount
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.mounts import MOUNTINFO

# ext4 on newer kernels keeps the mount as it is and shows these words instead.
STOPPED = frozenset({"emergency_ro", "shutdown"})


@check(
    "storage.read-only",
    asks="Is every local file system that was mounted for writing still writable?",
    severity=Severity.HIGH,
    why="After an I/O error or damage the kernel stops all writes: jobs lose their output, "
    "services their state, and the disk behind it is often dying.",
    fix="Read the kernel log for the first error, replace the disk if it reports media errors, "
    "run fsck on the unmounted file system, mount it again.",
    see=[
        "https://www.kernel.org/doc/html/latest/admin-guide/ext4.html",
        "https://man7.org/linux/man-pages/man8/mount.8.html",
    ],
    reproduce="grep -E 'ext4|xfs|btrfs' /proc/self/mountinfo",
    plants=[
        plant(
            Edit(
                MOUNTINFO.source,
                path="/proc/self/mountinfo",
                old="- ext4 /dev/md0 rw",
                new="- ext4 /dev/md0 ro",
            ),
            name="errors=remount-ro has struck",
        ),
        plant(
            Edit(
                MOUNTINFO.source,
                path="/proc/self/mountinfo",
                old="- ext4 /dev/md0 rw",
                new="- ext4 /dev/md0 rw,emergency_ro",
            ),
            name="the same on a newer kernel",
        ),
    ],
)
def read_only(mounts: Sequence[Mount]) -> Iterator[Verdict]:
    """Compare how it was mounted with what the file system itself says.

    An administrator's `ro` is in both places. When the kernel gives up, only the file system's
    own options change.
    """
    for mount in mounts:
        if mount.fstype not in LOCAL or not mount.super_options:
            continue
        what = f"{mount.fstype} of {mount.device}"
        stopped = STOPPED.intersection(mount.super_options)
        if stopped:
            yield failed(mount.mount_point, f"{what} has stopped ({', '.join(sorted(stopped))})")
        elif mount.read_only:
            yield not_applicable(mount.mount_point, f"{what} was mounted read-only")
        elif "ro" in mount.super_options:
            yield failed(mount.mount_point, f"{what} was mounted rw and is read-only now")
        elif "rw" in mount.super_options:
            yield passed(mount.mount_point, f"{what} is writable")
        else:
            said = ",".join(mount.super_options)[:80]
            yield unknown(mount.mount_point, f"{what} says neither rw nor ro: {said}")
