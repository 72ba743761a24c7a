"""Mounts, file systems and block devices."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Mount(Fact):
    """One mounted file system of this mount namespace, as /proc/self/mountinfo shows it."""

    mount_point: str
    fstype: str
    device: str
    options: tuple[str, ...]
    super_options: tuple[str, ...] = ()
    root: str = "/"
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class FileSystemUsage(Fact):
    """Space of one mounted file system, in bytes and inodes; ``error`` when statfs failed."""

    mount_point: str
    size: int | None
    free: int | None
    inodes: int | None
    inodes_free: int | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class BlockDevice(Fact):
    """One disk or partition. ``size`` in bytes."""

    name: str
    type: str
    size: int | None = None
    model: str = ""
    rotational: bool | None = None
    fstype: str = ""
    mount_points: tuple[str, ...] = ()
    read_only: bool | None = None
