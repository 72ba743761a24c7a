"""One mount that does not answer hangs everything that touches it."""

from collections.abc import Iterator, Sequence

from assay.checks.storage.kinds import LOCAL, is_shared
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.storage import FileSystemUsage, Mount
from assay.model.finding import Verdict, failed, not_applicable, passed
from assay.model.outcome import Severity
from assay.probes.filesystems import STATFS
from assay.probes.mounts import MOUNTINFO

STALE = "== /scratch failed 23\nStale file handle (116)\n"
HUNG = "== /home timeout 0\n\n"


@check(
    "storage.hung-mount",
    asks="Does every mounted file system answer?",
    severity=Severity.HIGH,
    why="A process that looks at a hung mount cannot be killed; df, ls and the job's own start "
    "wait for ever.",
    fix="Find out why the server does not answer; umount -f or -l the mount, then mount it again; "
    "reboot the node if processes stay in state D.",
    see=[
        "https://man7.org/linux/man-pages/man2/statfs.2.html",
        "https://man7.org/linux/man-pages/man5/nfs.5.html",
    ],
    reproduce="timeout 4 stat -f MOUNTPOINT",
    plants=[
        plant(
            Edit(
                MOUNTINFO.source,
                path="/proc/self/mountinfo",
                old="31 1 9:0 / / ",
                new="99 31 0:77 / /home rw,relatime - nfs4 nas:/home rw,vers=4.2\n31 1 9:0 / / ",
            ),
            Edit(STATFS.source, old="== / answered", new=HUNG + "== / answered"),
            name="an NFS server that is gone",
        ),
        plant(
            Edit(
                MOUNTINFO.source,
                path="/proc/self/mountinfo",
                old="31 1 9:0 / / ",
                new="98 31 0:78 / /scratch rw,relatime - nfs nas:/s rw,vers=3\n31 1 9:0 / / ",
            ),
            Edit(STATFS.source, old="== / answered", new=STALE + "== / answered"),
            name="a stale file handle",
        ),
    ],
)
def hung_mount(usage: Sequence[FileSystemUsage], mounts: Sequence[Mount]) -> Iterator[Verdict]:
    """Look for mounts whose statfs did not come back, or came back with an error."""
    by_point = {mount.mount_point: mount for mount in mounts}
    for found in usage:
        mount = by_point.get(found.mount_point)
        kind = f" ({mount.fstype} of {mount.device})" if mount else ""
        if not found.error:
            if mount and (mount.fstype in LOCAL or is_shared(mount)):
                yield passed(found.mount_point, f"statfs answered{kind}")
        elif found.error.startswith("timeout"):
            yield failed(found.mount_point, f"no answer to statfs within its deadline{kind}")
        elif found.error.startswith("failed"):
            yield failed(found.mount_point, f"statfs {found.error}{kind}")
        else:  # denied: a user's own FUSE mount is closed even to root
            yield not_applicable(found.mount_point, f"statfs: {found.error}{kind}")
