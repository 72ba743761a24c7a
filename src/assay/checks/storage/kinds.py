"""Which mounts hold data that somebody writes."""

from collections.abc import Sequence

from assay.model.facts.storage import Mount

# Local file systems that switch themselves to read-only when they meet an error.
LOCAL = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "vfat", "zfs", "jfs", "reiserfs", "bcachefs"}
)
# Shared ones, by the names that they have in /proc/filesystems.
SHARED = frozenset(
    {"nfs", "nfs4", "lustre", "gpfs", "beegfs", "ceph", "wekafs", "cifs", "smb3", "9p", "virtiofs",
     "panfs", "quobyte", "glusterfs", "afs", "ocfs2", "gfs2", "orangefs", "pvfs2"}
)  # fmt: skip


def is_shared(mount: Mount) -> bool:
    """True for what comes over a network: also FUSE clients such as JuiceFS, but not all FUSE."""
    return mount.fstype in SHARED or mount.fstype.startswith(
        ("fuse.juicefs", "fuse.glusterfs", "fuse.ceph", "fuse.s3fs", "fuse.gcsfuse",
         "fuse.mount-s3",
         "fuse.sshfs", "fuse.vast", "fuse.alluxio", "fuse.goofys", "fuse.rclone", "fuse.blobfuse",
         "fuse.dingofs", "fuse.curvefs", "fuse.seaweedfs")
    )  # fmt: skip


def writable(mounts: Sequence[Mount]) -> dict[str, Mount]:
    """Mounts of data that may be written, by mount point; of one device, the first mount."""
    found: dict[str, Mount] = {}
    devices: set[tuple[str, str]] = set()
    for mount in mounts:
        if not (mount.fstype in LOCAL or is_shared(mount)):
            continue
        if (
            mount.read_only
            or "ro" in mount.super_options
            or (mount.fstype, mount.device) in devices
        ):
            continue
        devices.add((mount.fstype, mount.device))
        found[mount.mount_point] = mount
    return found
