"""A recording of nodes as a folder of plain files, made elsewhere: by Assay, or by hand.

    FOLDER/NODE/commands/<quoted source>        what the command printed
    FOLDER/NODE/commands/<quoted source>.json   exit code and the like, if it was not a plain 0
    FOLDER/NODE/files/proc/cmdline              a file of that node, under its own path
    FOLDER/NODE/packs/<quoted source>           listings, links, and files as one pack

A folder that holds ``commands``, ``files`` or ``packs`` itself is a single node. Sources are
quoted like URLs; what is too long for a file name is cut and told apart by its hash. Symbolic
links are refused: a recording must not reach outside itself. What was not recorded is unknown.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from assay import codec
from assay.engine.target import Captured, Event, Options, Unreachable
from assay.kit.glob import expand, matcher
from assay.kit.pack import Entry, dump
from assay.kit.reading import Reading, Via
from assay.model.evidence import Capture, Evidence, Status, digest
from assay.model.report import NodeRow, NodeState

PRINTED = (Via.COMMAND, Via.SAVED)
PARTS = ("commands", "files", "packs")
LARGEST = 64 << 20  # bytes of one recorded answer
LONGEST = 120  # characters of a file name before its hash


def file_name(source: str) -> str:
    """The file name that stands for *source*."""
    name = quote(source, safe=" ,=+@:-_()[]{}*?")
    if name.startswith("."):
        name = "%2E" + name[1:]
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}~{digest(source.encode())[:12]}"


@dataclass(frozen=True, slots=True)
class _Meta:
    """What stands beside a recorded answer."""

    source: str = ""
    status: Status = Status.ANSWERED
    exit_code: int | None = 0
    stderr: str = ""
    reason: str = ""


class Recorded:
    """Reads a recording as if it were the cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name or str(folder)

    def describe(self) -> Sequence[str]:
        """What will be done."""
        return [f"read the recording in {self.folder}; no node is contacted"]

    def collect(self, readings: Sequence[Reading], options: Options) -> Iterator[Event]:
        """Every node of the recording, in order of name."""
        del options
        nodes = self._nodes()
        if not nodes:
            raise Unreachable(f"{self.folder} holds no recording (no commands/, files/ or packs/)")
        for node in nodes:
            yield from _node(node, readings)

    def _nodes(self) -> list[Path]:
        if not self.folder.is_dir():
            raise Unreachable(f"{self.folder} is not a folder")
        if any((self.folder / part).is_dir() for part in PARTS):
            return [self.folder]
        return sorted(
            child
            for child in self.folder.iterdir()
            if not child.is_symlink() and any((child / part).is_dir() for part in PARTS)
        )


def _node(folder: Path, readings: Sequence[Reading]) -> Iterator[Event]:
    lost = ""
    tree = _tree(folder / "files")
    for reading in readings:
        try:
            capture = _capture(folder, reading, tree)
        except _Refused as refusal:
            lost = str(refusal)
            continue
        if capture is not None:
            yield Captured(folder.name, capture)
    state = NodeState.PARTIAL if lost else NodeState.READ
    yield NodeRow(folder.name, state, lost)


class _Refused(Exception):
    """A part of the recording that is not what it should be."""


def _capture(folder: Path, reading: Reading, tree: dict[str, Path]) -> Capture | None:
    name = file_name(reading.source)
    part = "commands" if reading.via in PRINTED else "packs"
    data = _read(folder / part / name)
    meta = _meta(folder / part / f"{name}.json")
    if data is not None or meta is not None:
        default = _Meta(exit_code=0 if reading.via in PRINTED else None)
        given = meta or default
        return Capture(
            reading.source, data or b"", given.status, given.exit_code, given.stderr, given.reason
        )
    if reading.via is Via.FILES:
        wanted = [matcher(pattern) for pattern in expand(reading.glob)]
        entries = [
            Entry(path, _read(where) or b"")
            for path, where in tree.items()
            if any(pattern.fullmatch(path) for pattern in wanted)
        ]
        if entries:
            return Capture(reading.source, dump(entries))
    return None


def _tree(root: Path) -> dict[str, Path]:
    """Every file under *root* by its path on the node, in order."""
    if root.is_symlink() or not root.is_dir():
        return {}
    found = {}
    for folder, _, names in os.walk(root, followlinks=False):
        for name in names:
            where = Path(folder, name)
            if not where.is_symlink():
                found["/" + where.relative_to(root).as_posix()] = where
    return dict(sorted(found.items()))


def _read(path: Path) -> bytes | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise _Refused(f"{path.name} is not a plain file (a symbolic link?); refused")
    if found.st_size > LARGEST:
        raise _Refused(f"{path.name} is larger than {LARGEST >> 20} MiB; refused")
    try:
        return path.read_bytes()
    except OSError as error:
        raise _Refused(f"{path.name}: {error.strerror}") from error


def _meta(path: Path) -> _Meta | None:
    data = _read(path)
    if data is None:
        return None
    try:
        return codec.decode(data, _Meta)
    except codec.CodecError as error:
        raise _Refused(f"{path.name}: {error}") from error


def write(evidence: Iterable[Evidence], folder: Path, readings: Sequence[Reading]) -> int:
    """Write *evidence* as a recording into the new *folder*; gives the number of nodes."""
    commands = {reading.source for reading in readings if reading.via in PRINTED}
    folder.mkdir(mode=0o700, parents=True)
    count = 0
    for one in evidence:
        count += 1
        node = folder / file_name(one.node)
        node.mkdir(mode=0o700)
        for capture in one.captures.values():
            where = node / ("commands" if capture.source in commands else "packs")
            where.mkdir(mode=0o700, exist_ok=True)
            _write(where / file_name(capture.source), capture.data)
            meta = _Meta(
                capture.source, capture.status, capture.exit_code, capture.stderr, capture.reason
            )
            _write(where / f"{file_name(capture.source)}.json", codec.encode(meta))
    return count


def _write(path: Path, data: bytes) -> None:
    path.touch(mode=0o600, exist_ok=False)
    path.write_bytes(data)
