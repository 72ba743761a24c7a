"""Plain ``rocm-smi``: one line for each card, with columns that changed from version to version."""

import re
from collections.abc import Iterator

from assay.kit.seen import Unread
from assay.model.facts.accelerator import Accelerator
from assay.probes.amd_records import AMD
from assay.probes.pasted import real, words

_GAP = re.compile(r" {2,}|\t")
_SUB = re.compile(r"\s*\((?:DieEdge|Edge|Junction|Socket|Avg|Mem, Compute(?:, ID)?)\)")


def rows(text: str) -> Iterator[Accelerator]:
    """The cards of the concise table. Columns are found by their headings."""
    lines = text.split("\n")
    start = next(
        (n for n, line in enumerate(lines) if re.match(r"^\s*(?:GPU|Device) .*(?:SCLK|Fan)", line)),
        None,
    )
    if start is None:
        raise Unread("rocm-smi's table has no heading")
    columns = [_SUB.sub("", name) for name in _GAP.split(lines[start].strip())]
    found = 0
    for at in range(start + 1, len(lines)):
        row = re.sub(r",\s+", ", ", lines[at].strip())
        cells = _GAP.split(row)
        if not cells[0].isdigit() or len(cells[0]) > 6 or len(cells) < 4:
            continue
        if len(cells) != len(columns):
            raise Unread(f"rocm-smi's row has {len(cells)} cells under {len(columns)} headings")
        yield _card(dict(zip(columns, cells, strict=True)), lines[at + 1 : at + 2])
        found += 1
    if not found:
        raise Unread("rocm-smi's table lists no card")


def _card(cells: dict[str, str], below: list[str]) -> Accelerator:
    memory, _, rest = cells.get("Partitions", "").partition(", ")
    compute = rest.split(",")[0]
    name = below[0].strip() if below else ""
    return Accelerator(
        vendor=AMD,
        index=int(cells.get("Device") or cells.get("GPU") or 0),
        product=name if re.match(r"[A-Za-z]", name) else "",
        temperature_c=real(cells.get("Temp")),
        power_w=real(cells.get("Power") or cells.get("AvgPwr")),
        power_limit_w=real(cells.get("PwrCap")),
        utilization_percent=real(cells.get("GPU%")),
        partition_mode="/".join(w for w in (words(compute), words(memory)) if w),
    )
