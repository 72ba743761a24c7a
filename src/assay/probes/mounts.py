"""What is mounted where."""

import re
from collections.abc import Iterator

from assay.kit.json import mapping, value
from assay.kit.probe import probe
from assay.kit.reading import files, saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.storage import Mount
from assay.probes.kernel_values import plain_lines

MOUNTINFO = files(
    "/proc/self/mountinfo",
    name="mountinfo",
    looks_like=r"^\d+ \d+ \d+:\d+ /\S* /\S* r[wo]\S* (?:\S+ )*- \S+ \S+ \S+$",
)
MOUNT = saved("mount", looks_like=r"^\S+ on /\S* type \S+ \(r[wo][^\n]*\)(?: \[[^\n]*\])?$")
FINDMNT = saved(
    "findmnt-json",
    looks_like=r"\"filesystems\"\s*:\s*\[\s*\{\s*\"(?:target|source)\"\s*:\s*\"[^\"]*\"",
)

_ESCAPE = re.compile(r"\\([0-3][0-7]{2})")
_MOUNT_LINE = re.compile(r"(.*?) on (/.*?) type (\S+) \(([^)]*)\)(?: \[.*\])?")
# What container runtimes mount for each of their containers: plumbing, not storage. It differs
# on every node and would make thousands of nodes look different.
_PLUMBING = re.compile(
    r"/(?:var/lib/(?:kubelet|docker|containerd|containers|rancher|lxd)"
    r"|run/(?:containerd|docker|k3s|netns|user|crio|containers|credentials)"
    r"|var/run/(?:netns|docker)|var/snap/\w+|sys|proc|dev/mqueue)/"
)
_PLUMBED = frozenset(
    {"overlay", "tmpfs", "nsfs", "ramfs", "proc", "sysfs", "cgroup", "cgroup2", "mqueue",
     "devpts", "debugfs", "tracefs", "securityfs", "pstore", "bpf", "fusectl", "configfs",
     "fuse.lxcfs", "shm"}
)  # fmt: skip
# Folders in which container runtimes keep the layers of a container's root file system.
_LAYERS = {
    "containerd": "containerd", "docker": "docker", "containers/storage": "podman",
    "/lxc/": "lxc", "enroot": "enroot",
}  # fmt: skip


@probe("system.mounts", reads=[MOUNTINFO, MOUNT, FINDMNT])
def mounts(seen: Seen) -> Iterator[Mount]:
    """Mounted file systems, without what container runtimes mount for single containers."""
    if seen.capture(FINDMNT) is not None:
        yield from _from_findmnt(seen.text(FINDMNT))
        return
    if seen.capture(MOUNT) is not None:
        yield from _from_mount(seen.text(MOUNT))
        return
    text = seen.file(MOUNTINFO)
    if text is None:
        return
    found = list(_from_mountinfo(text))
    if not found:
        raise Unread("/proc/self/mountinfo shows no mounts")
    yield from (mount for mount in found if not _is_plumbing(mount))


def _is_plumbing(mount: Mount) -> bool:
    if "/volume-subpaths/" in mount.mount_point:  # kubelet binds single files into pods there
        return True
    return mount.fstype in _PLUMBED and _PLUMBING.match(mount.mount_point) is not None


def _from_mountinfo(text: str) -> Iterator[Mount]:
    for line in plain_lines(text):
        before, dash, after = line.partition(" - ")
        left, right = before.split(), after.split(" ")
        if not dash or len(left) < 6 or len(right) < 2:
            continue
        options = tuple(left[5].split(","))
        yield Mount(
            mount_point=unescaped(left[4]),
            fstype=right[0],
            device=unescaped(right[1]),
            options=options,
            super_options=tuple(right[2].split(",")) if len(right) > 2 else (),
            root=unescaped(left[3]),
            read_only="ro" in options,
        )


def _from_mount(text: str) -> Iterator[Mount]:
    found = [row for line in plain_lines(text) if (row := _MOUNT_LINE.fullmatch(line.strip()))]
    if not found:
        raise Unread("`mount` shows no mounts")
    for row in found:
        options = tuple(row[4].split(","))
        yield Mount(row[2], row[3], row[1], options, read_only="ro" in options)


def _from_findmnt(text: str) -> Iterator[Mount]:
    rows = findmnt_rows(text)
    if not rows:
        raise Unread("`findmnt --json` shows no file systems")
    for row in rows:
        device, _, root = str(row.get("source") or "").partition("[")
        words = row.get("options")
        options = tuple(words.split(",")) if isinstance(words, str) and words else ()
        yield Mount(
            mount_point=str(row["target"]),
            fstype=str(row.get("fstype") or ""),
            device=device,
            options=options,
            root=root.removesuffix("]") or "/",
            read_only="ro" in options,
        )


def findmnt_rows(text: str) -> list[dict[str, object]]:
    """Every file system of `findmnt --json`, children too."""
    table = mapping(value(text, "`findmnt --json`"), "`findmnt --json`")
    listed = table.get("filesystems")
    waiting = list(listed) if isinstance(listed, list) else []
    rows: list[dict[str, object]] = []
    while waiting:
        row = waiting.pop(0)
        if not isinstance(row, dict) or not isinstance(row.get("target"), str):
            continue
        rows.append(row)
        children = row.get("children")
        waiting[:0] = children if isinstance(children, list) else []
    return rows


def root_of(mountinfo: str) -> Mount | None:
    """The root file system; the last one mounted there counts."""
    return next(
        (m for m in reversed(list(_from_mountinfo(mountinfo))) if m.mount_point == "/"), None
    )


def in_container(root: Mount) -> str:
    """Which container runtime laid the root file system; "" when none did."""
    where = root.root if root.fstype != "overlay" else ",".join(root.super_options)
    return next((name for mark, name in _LAYERS.items() if mark in where), "")


def unescaped(text: str) -> str:
    """A path of mountinfo: blanks, tabs and backslashes are written in octal there."""
    return _ESCAPE.sub(lambda found: chr(int(found.group(1), 8)), text)
