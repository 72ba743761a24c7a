"""How full the mounted file systems are, and whether they answer at all."""

import re
from collections.abc import Iterator, Sequence

from assay.kit.pack import Entry
from assay.kit.probe import probe
from assay.kit.reading import saved, statfs
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.storage import FileSystemUsage
from assay.probes.kernel_values import plain_lines, whole
from assay.probes.mounts import FINDMNT, findmnt_rows

STATFS = statfs()
DF = saved(
    "df", looks_like=r"^Filesystem +(?:Type +)?(?:1K-blocks|1024-blocks|Size|1B-blocks) +[^\n]*$"
)
DF_INODES = saved("df-i", looks_like=r"^Filesystem +(?:Type +)?Inodes +IUsed +IFree +[^\n]*$")

_SIZE = re.compile(r"(\d{1,17}(?:[.,]\d+)?)([BKMGTPE]?)(?:i?B)?")
_POWERS = {"": 0, "B": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_BLOCKS = {"1K-blocks": 1024, "1024-blocks": 1024, "1B-blocks": 1}
_ROW = re.compile(r"(\S.*?) +(?:([a-z][\w.]+) +)?(\S+) +(\S+) +(\S+) +(\d+%|-) +(/.*)")


@probe("system.filesystem-usage", reads=[STATFS, FINDMNT, DF, DF_INODES])
def usage(seen: Seen) -> Iterator[FileSystemUsage]:
    """Space and inodes of the mounted file systems."""
    if seen.capture(FINDMNT) is not None:
        yield from _from_findmnt(seen.text(FINDMNT))
    elif seen.capture(DF) is not None:
        yield from _from_df(seen.text(DF), inodes=False)
    elif seen.capture(DF_INODES) is not None:
        yield from _from_df(seen.text(DF_INODES), inodes=True)
    else:
        yield from (_from_statfs(entry) for entry in seen.entries(STATFS))


def _from_statfs(entry: Entry) -> FileSystemUsage:
    if entry.status != Status.ANSWERED:
        why = entry.data.decode("utf-8", "replace").strip()[:120]
        error = f"{entry.status} ({why})" if why else entry.status
        return FileSystemUsage(entry.path, None, None, None, None, error)
    words = entry.data.decode("utf-8", "replace").split()
    numbers = [whole(word) for word in words[-6:]]
    if len(words) < 7 or None in numbers:
        raise Unread(f"statfs of {entry.path} makes no sense: {' '.join(words)[:80]!r}")
    block, blocks, _, available, inodes, inodes_free = (n or 0 for n in numbers)
    return FileSystemUsage(
        mount_point=entry.path,
        size=blocks * block,
        free=available * block,
        inodes=inodes or None,  # vfat, btrfs and many shared ones have no inodes to run out of
        inodes_free=inodes_free if inodes else None,
    )


def _from_findmnt(text: str) -> Iterator[FileSystemUsage]:
    for row in findmnt_rows(text):
        size, free = size_in_bytes(row.get("size")), size_in_bytes(row.get("avail"))
        if size is not None:
            yield FileSystemUsage(str(row["target"]), size, free, None, None)


def _from_df(text: str, *, inodes: bool) -> Iterator[FileSystemUsage]:
    lines = plain_lines(text)
    heads: Sequence[str] = next((ln.split() for ln in lines if ln.startswith("Filesystem")), [])
    unit = next((_BLOCKS[word] for word in heads if word in _BLOCKS), None)
    found = [row for line in lines if (row := _ROW.fullmatch(line))]
    if not found:
        raise Unread("`df` shows no file systems")
    for row in found:
        if inodes:
            total = whole(row[3])
            yield FileSystemUsage(row[7], None, None, total or None, whole(row[5]))
        elif unit is not None:
            size, free = whole(row[3]), whole(row[5])
            yield FileSystemUsage(
                row[7],
                size * unit if size is not None else None,
                free * unit if free is not None else None,
                None,
                None,
            )
        else:
            yield FileSystemUsage(row[7], size_in_bytes(row[3]), size_in_bytes(row[5]), None, None)


def size_in_bytes(found: object) -> int | None:
    """Bytes of a size as util-linux and df print it: 1.7T is 1.7 x 2**40, rounded by them."""
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    match = _SIZE.fullmatch(found.strip().upper()) if isinstance(found, str) else None
    if match is None:
        return None
    number, power = match.group(1).replace(",", "."), _POWERS[match.group(2)]
    return int(number) * 1024**power if number.isdigit() else int(float(number) * 1024**power)
