"""Tables of ``nvidia-smi --query-gpu`` and its sisters, with any choice of columns."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.device import BadPages
from assay.probes.nvidia_fields import COUNTERS, FIELDS, REASONS
from assay.probes.nvidia_lost import Found, all_of
from assay.probes.nvidia_record import Record
from assay.probes.nvidia_words import VENDOR, bare, errors
from assay.probes.pasted import bdf, clean, count, tried

CSV = saved(
    "nvidia-smi.csv",
    looks_like=r"^(?=[^\n]*\b(?:pci\.bus_id|memory\.(?:total|used|free)|driver_version|gpu_uuid"
    r"|utilization\.gpu|temperature\.gpu|power\.(?:draw|limit)|vbios_version|gpu_name|gpu_bus_id"
    r"|ecc\.(?:mode|errors)|retired_pages|remapped_rows|clocks[._]\w+|mig\.mode|compute_cap"
    r"|persistence_mode|pcie\.link|pstate|index, ?(?:name|uuid)|name, ?(?:index|uuid)))"
    r"(?![^\n]*(?:\.aip\b|(?<![.\w])(?:module_id|bus_id|gpu_bdf)\b))"  # Gaudi's and AMD's
    r"[a-z][\w.]*(?: \[[\w%/]+\])?(?:, ?[a-z][\w.]*(?: \[[\w%/]+\])?)*[ \t]*$"
    r"(?!\n[^\n]*\bHL-\d)(?:\n[^\n]*){0,2}"
    r"|^[^\n]{0,120}\bnvidia-smi [^\n]{0,120}--query-(?:gpu|retired)[^\n]*$"
    r"|^(?:\d+, ?)?(?:NVIDIA|Tesla|Quadro) ?[^,\n]+, ?[^\n]*(?:MiB|GPU-[0-9a-f]{8}|\d{3}\.\d+)"
    r"[^\n]*$"
    r"|^(?:[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]|GPU-[0-9a-f]{8}-[0-9a-f-]{27})"
    r", ?[^\n]*$",
)

_COLUMN = re.compile(r"([A-Za-z][\w.]*)(?: \[[^\]]*\])?")
_QUERY = re.compile(r"--query-[a-z-]+[= ]\"?([\w.,]+)")
_SINGLE = {"driver_version", "kmd_version", "index", "timestamp", "count", "serial", "gpu_serial"}
_KNOWN = _SINGLE.union(*FIELDS.values(), *REASONS.values(), *COUNTERS.values())
# What a cell is by its looks, where neither a header nor the command line names the columns.
_LOOKS = (
    ("uuid", re.compile(r"GPU-[0-9a-f]{8}-[0-9a-f-]{27}")),
    ("pci.bus_id", re.compile(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]")),
    ("driver_version", re.compile(r"\d{3}\.\d{2,3}(?:\.\d{2})?")),
    ("name", re.compile(r"(?:NVIDIA|Tesla|Quadro|GeForce)\b.*")),
)
_ADDRESS = "retired_pages.address"


@probe("nvidia.smi-csv", reads=[CSV])
def gpus(seen: Seen) -> Iterator[Found | BadPages]:
    """NVIDIA GPUs in the comma-separated answers of nvidia-smi, and their retired pages."""
    if tried(seen, CSV) is None:
        return
    text = clean(seen.text(CSV))
    complaints = list(errors("\n".join(part for part in text.split("\n") if "," not in part)))
    rows = list(_rows(text))
    yield from complaints
    yield from _pages(rows)
    yield from all_of([_record(row) for row in rows], complaints)
    if not rows:
        raise Unread(complaints[0].message if complaints else "no row of values under a header")


def _rows(text: str) -> Iterator[dict[str, str]]:
    """Cells by column name, for every line that has as many cells as its header."""
    columns: list[str] = []
    for line in text.split("\n"):
        query = _QUERY.search(line)
        cells = [cell.strip() for cell in line.split(",")]
        names = [_COLUMN.fullmatch(cell) for cell in cells]
        if query:
            columns = query.group(1).lower().split(",")
        elif all(names) and any(m and m.group(1).lower() in _KNOWN for m in names):
            columns = [m.group(1).lower() for m in names if m]
        elif columns and len(cells) == len(columns):
            yield dict(zip(columns, cells, strict=True))
        elif not columns and len(cells) > 1:
            yield from _guessed(cells)


def _guessed(cells: list[str]) -> Iterator[dict[str, str]]:
    row = {
        name: cell for cell in reversed(cells) for name, looks in _LOOKS if looks.fullmatch(cell)
    }
    if row.keys() & {"name", "uuid", "pci.bus_id"}:
        if cells[0].isdecimal() and row.get("name") in cells[1:2]:
            row["index"] = cells[0]
        yield row


def _record(row: dict[str, str]) -> Record:
    driver = row.get("kmd_version") or row.get("driver_version") or ""
    return Record(bare(driver), row, index=count(row.get("index")))


def _pages(rows: list[dict[str, str]]) -> Iterator[BadPages]:
    """Retired pages of each GPU: one row a page, and no address where there is no such list."""
    pages: dict[str, int] = {}
    for row in rows:
        address = bare(row.get(_ADDRESS, ""))
        where = bdf(row.get("gpu_bus_id")) or row.get("gpu_uuid", "")
        if where and re.fullmatch(r"0x[0-9a-fA-F]+", address):
            pages[where] = pages.get(where, 0) + 1
    for where, number in pages.items():
        yield BadPages(VENDOR, None, where, retired=number)
