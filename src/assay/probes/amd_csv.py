"""``amd-smi ... --csv``: one line for each GPU, the keys of the JSON without their parents."""

import csv
from collections.abc import Iterator

from assay.kit.seen import Unread
from assay.probes import amd_facts
from assay.probes.amd_records import Record
from assay.probes.pasted import count

# Flat names do not say whose "version" or "socket_power" it is: only sections that the header's
# other names prove are read.
_STATIC = ("asic", "bus", "board", "partition")
_METRIC = ("usage", "power", "temperature", "pcie", "ecc", "mem_usage")


def rows(text: str) -> Iterator[amd_facts.Fact]:
    """The GPUs of a CSV output."""
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("gpu,")), None)
    if start is None:
        raise Unread("amd-smi's CSV has no header")
    found: dict[int, Record] = {}
    for row in csv.DictReader(lines[start:]):
        gpu = count(row.get("gpu"))
        if gpu is not None and gpu not in found:
            found[gpu] = _record(gpu, {k.strip(): v for k, v in row.items() if k and v})
    if not found:
        raise Unread("amd-smi's CSV lists no GPU")
    yield from amd_facts.everything(found[gpu] for gpu in sorted(found))


def _record(gpu: int, flat: Record) -> Record:
    static = "market_name" in flat or "max_pcie_width" in flat or "vendor_id" in flat
    record: Record = {
        "gpu": gpu,
        "uuid": flat.get("uuid") or flat.get("gpu_uuid"),
        "bdf": flat.get("bdf") or flat.get("gpu_bdf"),
    }
    record |= dict.fromkeys(_STATIC if static else _METRIC, flat)
    if static and "size" in flat:
        record["vram"] = {"size": f"{flat['size']} MB"}
    if not static:
        sizes = {k: f"{v} MB" for k, v in flat.items() if k.endswith("_vram") and v.isdigit()}
        record["mem_usage"] = sizes
    return record
