"""Google TPU chips of a node, from tpu-info and the device files."""

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.kit.probe import probe
from assay.kit.reading import command
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.model.facts.software import Software
from assay.probes.pasted import boxed, count, mib, real, said, tried, was_cut, words
from assay.probes.vendor_errors import tool_error

TPU = "tpu"
Fact = Accelerator | VendorToolError | DeviceProcess | Software

TPU_INFO = command(
    "tpu-info", deadline=20,
    looks_like=r"^(?:[-\s]{0,8}(?:Libtpu version:|tpu-info version:).*"
    r"|[ \t]{0,64}TPU (?:Chips|Process Info"
    r"|Runtime Utilization|Utilization|Duty Cycle|HBM Usage)\s*$[\s\S]{0,200}"
    r"|TensorCore Utilization\s*$|.*No TPU chips found.*"
    r"|.*Libtpu metrics unavailable.*)",
)  # fmt: skip

_VERSION = re.compile(
    r"^[-\s]*(libtpu|tpu-info) version:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE
)
_TYPE = re.compile(r"^[-\s]*accelerator type:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
_USED = re.compile(r"([\d.]+)\s*([KMG]i?B|B)?\s*/\s*([\d.]+)\s*([KMG]i?B|B)")

Row = dict[str, str]


@probe("tpu.chips", reads=[TPU_INFO])
def chips(seen: Seen) -> Iterator[Fact]:
    """TPU chips, the memory that is in use on them, and who holds them."""
    capture = tried(seen, TPU_INFO)
    if capture is None:
        return
    if capture.status is not Status.ANSWERED:
        seen.answered(TPU_INFO)
    text = said(capture)
    yield from _versions(text)
    tables = [_rows(table) for table in boxed(text)]
    kind = words(found.group(1)) if (found := _TYPE.search(text)) else ""
    kind = "" if "incompatible" in kind else kind
    devices = next((rows for rows in tables if rows and "type" in rows[0]), [])
    accelerators = [_chip(index, row) for index, row in enumerate(devices)]
    if not accelerators:
        accelerators = _by_usage(tables, f"TPU {kind} chip" if kind else "")
    yield from _measured(accelerators, tables, devices)
    yield from _processes(tables)
    if not accelerators:
        error = tool_error(TPU, "tpu-info", text, capture.exit_code)
        if error is not None:
            yield error
        elif "version:" not in text:
            raise Unread(f"tpu-info listed no chip: {text.strip()[:120]!r}")
    if was_cut(text):
        raise Unread("tpu-info's output was cut short by hand")


def _processes(tables: list[list[Row]]) -> Iterator[DeviceProcess]:
    """Who holds each chip, from the table of chips or that of ``--process``."""
    for rows in tables:
        for index, row in enumerate(rows):
            pid = count(row.get("pid"))
            if pid is not None and ("chip" in row or "device" in row):
                yield DeviceProcess(TPU, index, pid, words(row.get("process name")))


def _versions(text: str) -> Iterator[Software]:
    for name, version in _VERSION.findall(text):
        if re.match(r"\d", version):
            yield Software(name.lower(), version.split()[0], "binary")


def _rows(table: list[list[str]]) -> list[Row]:
    """Rows by heading. The documentation's copies have lost the bars between columns."""
    split = [re.split(r" {2,}", row[0]) if len(row) == 1 else row for row in table]
    head = [re.sub(r"\s*\(.*?\)", "", name).strip().lower() for name in split[0]]
    return [dict(zip(head, row, strict=True)) for row in split[1:] if len(row) == len(head)]


def _chip(index: int, row: Row) -> Accelerator:
    return Accelerator(TPU, index, product=words(row.get("type")))


def _by_usage(tables: list[list[Row]], product: str) -> list[Accelerator]:
    """Chips that only a table of memory in use names; there are no more than these."""
    for rows in tables:
        if rows and ("chip" in rows[0] or "device" in rows[0]):
            return [Accelerator(TPU, index, product=product) for index in range(len(rows))]
    return []


def _measured(
    accelerators: list[Accelerator], tables: list[list[Row]], devices: list[Row]
) -> Iterator[Accelerator]:
    """Memory and duty cycle of each chip. Older chips show as two devices, rows in chip order."""
    memory: dict[int, tuple[float, float]] = {}
    duty: dict[int, list[float]] = {}
    for rows in tables:
        each, rest = divmod(len(rows), len(accelerators) or 1)
        if rows is devices or not each or rest:
            continue
        for at, row in enumerate(rows):
            used = next((value for name, value in row.items() if _USED.fullmatch(value)), "")
            if found := _USED.fullmatch(used):
                sizes = (mib(f"{found[1]} {found[2] or found[4]}"), mib(f"{found[3]} {found[4]}"))
                old = memory.get(at // each, (0.0, 0.0))
                memory[at // each] = (old[0] + (sizes[0] or 0), old[1] + (sizes[1] or 0))
            cycle = real(row.get("duty cycle"))
            if cycle is not None:
                duty.setdefault(at // each, []).append(cycle)
    for at, chip in enumerate(accelerators):
        used_mib, total = memory.get(at, (None, None))
        busy = max(duty[at]) if at in duty else None
        yield replace(chip, memory_mib=total, memory_used_mib=used_mib, utilization_percent=busy)
