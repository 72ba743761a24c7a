# ruff: noqa: PTH115, PTH116, PTH123, PTH208 - no pathlib: paths are bytes, and fewer imports
"""Read files, list paths, follow links and measure file systems, without ever hanging on them.

Part of the program that is sent to nodes: Python 3.6, standard library only.
"""

import errno
import json
import os
import re
import stat
import threading
import time

from assay.collector.commands import (
    ABSENT,
    ANSWERED,
    DENIED,
    FAILED,
    TIMEOUT,
    TRUNCATED,
    Answer,
    denies,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable  # noqa: F401 - in a type comment

PER_FILE = 1 << 20  # bytes of one file of a pack with many
MOST_PATHS = 20000  # of one pack


class Paths:
    """The paths that match a glob with ``{a,b}`` alternatives, and the folders that refused."""

    def __init__(self, glob: str) -> None:
        self.denied = []  # type: list[bytes]
        self.many = any(c in glob for c in "*?[{")
        self._folders = {}  # type: dict[bytes, list[bytes]]
        found = set()  # type: set[bytes]
        for pattern in alternatives(glob):
            found.update(self._match(pattern.encode("utf-8", "surrogateescape")))
        self.found = sorted(found)

    def _match(self, pattern: bytes) -> "list[bytes]":
        """Candidates: a part without wildcards is not looked up, opening it will tell."""
        paths = [b""] if pattern[:1] == b"/" else []
        for part in pattern.split(b"/")[1:]:
            if not any(c in part for c in b"*?["):
                paths = [path + b"/" + part for path in paths]
                continue
            wanted = wildcard(part)
            hidden = part[:1] == b"."
            paths = [
                path + b"/" + name
                for path in paths
                for name in self._list(path or b"/")
                if wanted.match(name) and (hidden or name[:1] != b".")
            ][: MOST_PATHS + 1]
        return paths

    def _list(self, folder: bytes) -> "list[bytes]":
        if folder not in self._folders:
            try:
                self._folders[folder] = sorted(os.listdir(folder))
            except OSError as error:
                self._folders[folder] = []
                if denies(error):
                    self.denied.append(folder)
        return self._folders[folder]


def alternatives(glob: str) -> "list[str]":
    """*glob* with its ``{a,b}`` written out."""
    braces = re.search(r"\{([^{}]*)\}", glob)
    if braces is None:
        return [glob]
    found = []
    for choice in braces.group(1).split(","):
        found += alternatives(glob[: braces.start()] + choice + glob[braces.end() :])
    return found


def wildcard(part: bytes) -> "re.Pattern[bytes]":
    """``*``, ``?`` and ``[...]`` as a pattern for one name."""
    out = b""
    while part:
        chars = re.match(rb"\[(!?)([^\]/]+)\]", part)
        if chars:
            inside = re.sub(rb"([\\^\[])", rb"\\\1", chars.group(2))
            out += b"[" + (b"^" if chars.group(1) else b"") + inside + b"]"
        else:
            out += {b"*": b".*", b"?": b"."}.get(part[:1], re.escape(part[:1]))
        part = part[chars.end() if chars else 1 :]
    return re.compile(out + rb"\Z", re.DOTALL)


class Pack:
    """Many small answers to one reading: (path, status, data) each, and how it went as a whole."""

    def __init__(self, cap: int) -> None:
        self.entries = []  # type: list[tuple[bytes, str, bytes]]
        self.status = ANSWERED
        self.reason = ""
        self._cap = self._left = cap

    def read(self, via: str, glob: str, end: float) -> None:
        """Carry out a reading of files, a listing or links."""
        paths = Paths(glob)
        most = min(PER_FILE, self._cap) if paths.many else self._cap
        self.entries += [(folder, DENIED, b"") for folder in paths.denied]
        for path in paths.found:
            if time.monotonic() > end:
                self.status = TIMEOUT
                self.reason = f"{len(self.entries)} of {len(paths.found)} paths were read"
                return
            try:
                found = _file(path, most) if via == "files" else _LOOK[via](path)
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.ENOTDIR):
                    continue
                found = (DENIED if denies(error) else FAILED, b"")
            if found is not None and not self._add(path, *found):
                return
        if not self.entries:
            self.status = ABSENT
        elif all(entry[1] == DENIED for entry in self.entries):
            self.status = DENIED
            self.reason = text(self.entries[0][0]) + ": permission denied"
        elif not paths.many and self.entries[0][1] == TRUNCATED:
            self.status, self.reason = TRUNCATED, f"more than {most} bytes"

    def _add(self, path: bytes, status: str, data: bytes) -> bool:
        self._left -= len(data) + len(path) + 24
        fits = self._left >= 0 or (not self.entries and status == TRUNCATED)
        if fits and len(self.entries) < MOST_PATHS:
            self.entries.append((path, status, data))
            return True
        self.status = TRUNCATED
        self.reason = f"more than {self._cap} bytes or {MOST_PATHS} paths"
        return False

    def answer(self) -> Answer:
        """The pack in its text form, see kit/pack.py."""
        out = []
        for path, status, data in self.entries:
            name = text(path)
            if name[:1] == '"' or any(c.isspace() or not c.isprintable() for c in name):
                name = json.dumps(name)
            out += [f"== {name} {status} {len(data)}\n".encode(), data, b"\n"]
        return Answer(self.status, b"".join(out), reason=self.reason)


def text(path: bytes) -> str:
    """A path as text; bytes that are not UTF-8 are kept as lone surrogates."""
    return path.decode("utf-8", "surrogateescape")


def _file(path: bytes, most: int) -> "tuple[str, bytes] | None":
    """The text of a regular file. Nothing else is ever opened: it may hang or do something."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        return None
    if not stat.S_ISREG(mode):
        return FAILED, b""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return FAILED, b""
        chunks, kept = [], 0
        while kept <= most:
            chunk = os.read(fd, min(most + 1 - kept, 1 << 18))
            if not chunk:
                break
            chunks.append(chunk)
            kept += len(chunk)
    finally:
        os.close(fd)
    data = b"".join(chunks)
    return (TRUNCATED, data[:most]) if len(data) > most else (ANSWERED, data)


_TYPES = {
    stat.S_IFREG: "f",
    stat.S_IFDIR: "d",
    stat.S_IFCHR: "c",
    stat.S_IFBLK: "b",
    stat.S_IFLNK: "l",
    stat.S_IFSOCK: "s",
    stat.S_IFIFO: "p",
}


def _listed(path: bytes) -> "tuple[str, bytes]":
    found = os.lstat(path)
    kind = _TYPES.get(stat.S_IFMT(found.st_mode), "?")
    device = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}" if kind in "cb" else "-"
    mode = f"{stat.S_IMODE(found.st_mode):04o}"
    line = f"{kind} {mode} {found.st_uid} {found.st_gid} {device} {found.st_size}"
    return ANSWERED, line.encode()


def _link(path: bytes) -> "tuple[str, bytes] | None":
    try:
        return ANSWERED, os.readlink(path)
    except OSError as error:
        if error.errno == errno.EINVAL:  # it is there, but no link
            return None
        raise


_LOOK = {
    "listing": _listed,
    "links": _link,
}  # type: dict[str, Callable[[bytes], tuple[str, bytes] | None]]

# Kinds of file systems that hold nobody's files; asking an autofs would mount it.
_PSEUDO = frozenset(
    b"proc sysfs devpts devtmpfs cgroup cgroup2 pstore bpf securityfs debugfs tracefs configfs"
    b" fusectl mqueue hugetlbfs autofs efivarfs rpc_pipefs binfmt_misc nsfs selinuxfs ramfs nfsd"
    b" fuse.lxcfs fuse.gvfsd-fuse fuse.portal".split()
)
# Kinds whose answer does not depend on another process or machine: one thread asks them all.
_HERE = frozenset(b"ext2 ext3 ext4 xfs btrfs f2fs tmpfs overlay squashfs vfat iso9660".split())
# Where containers and sessions mount theirs; they add nothing to the file system below.
_OTHERS = (b"/var/lib/", b"/run/containerd/", b"/run/user/", b"/run/netns")


def mounts(table: bytes) -> "list[tuple[bytes, bytes]]":
    """Mount points and kinds; of what is mounted several times the shortest path."""
    found = {}  # type: dict[tuple[bytes, bytes], bytes]
    for line in table.split(b"\n"):
        fields = line.split(b" ")
        if len(fields) < 3 or fields[2] in _PSEUDO:
            continue
        path = re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m.group(1), 8) & 255]), fields[1])
        if fields[2] in (b"overlay", b"tmpfs"):
            if path.startswith(_OTHERS):
                continue
            fields[0] = path
        key = (fields[0], fields[2])
        if key not in found or len(path) < len(found[key]):
            found[key] = path
    return sorted((path, kind) for (_, kind), path in found.items())


def statfs(pack: Pack, end: float) -> None:
    """Sizes of the mounted file systems; one that hangs holds up nobody but its own thread."""
    with open("/proc/self/mounts", "rb") as file:
        found = mounts(file.read())
    answers = {}  # type: dict[bytes, tuple[str, bytes]]
    groups = [[mount for mount in found if mount[1] in _HERE]]
    groups += [[mount] for mount in found if mount[1] not in _HERE]
    threads = [
        threading.Thread(target=_measure, args=(group, answers), daemon=True)
        for group in groups[:128]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - 0.25 - time.monotonic()))
    pack.entries = [(path, *answers.get(path, (TIMEOUT, b""))) for path, _ in found]


def _measure(group: "list[tuple[bytes, bytes]]", answers: "dict[bytes, tuple[str, bytes]]") -> None:
    for path, kind in group:
        try:
            s = os.statvfs(path)
            line = f" {s.f_frsize} {s.f_blocks} {s.f_bfree} {s.f_bavail} {s.f_files} {s.f_ffree}"
            answers[path] = (ANSWERED, kind + line.encode())
        except OSError as error:
            answers[path] = (DENIED if denies(error) else FAILED, b"")
