"""The text form of readings that give many small answers: files, listings, links.

A pack is a sequence of entries ``== PATH STATUS SIZE`` + newline + SIZE bytes + newline. It is
plain text where the files are, so that a person can read a pack as evidence. PATH is quoted by
JSON rules when it holds blanks or controls.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_HEADER = re.compile(rb"== (\"(?:[^\"\\]|\\.)*\"|[^\s\"]\S*) ([a-z]+) (\d+)\n")


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a pack. ``status`` is a word of :class:`assay.model.evidence.Status`."""

    path: str
    data: bytes
    status: str = "answered"


class PackError(ValueError):
    """The bytes are not a whole pack."""


def dump(entries: Iterable[Entry]) -> bytes:
    """Write *entries* in the order given."""
    out = bytearray()
    for entry in entries:
        path = entry.path
        if (
            not path
            or path.startswith('"')
            or any(c.isspace() or not c.isprintable() for c in path)
        ):
            path = json.dumps(path)
        out += f"== {path} {entry.status} {len(entry.data)}\n".encode("utf-8", "surrogateescape")
        out += entry.data + b"\n"
    return bytes(out)


def load(data: bytes) -> Iterator[Entry]:
    """Read a pack back; a cut or foreign one raises :class:`PackError` where it goes wrong."""
    at = 0
    while at < len(data):
        header = _HEADER.match(data, at)
        if header is None:
            raise PackError(f"no pack entry at byte {at}")
        raw, status, size = header.groups()
        end = header.end() + int(size)
        if data[end : end + 1] != b"\n":
            raise PackError(f"the entry at byte {at} is cut short")
        path = raw.decode("utf-8", "replace")
        if path.startswith('"'):
            try:
                path = json.loads(path)
            except ValueError as error:
                raise PackError(f"bad path at byte {at}: {error}") from error
        yield Entry(path, data[header.end() : end], status.decode())
        at = end + 1
