"""AWS Trainium and Inferentia devices of a node, from neuron-ls and the driver's counters."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import command, files, saved
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Status
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceAffinity, DeviceProcess, PeerPath
from assay.probes.pasted import (
    bdf,
    boxed,
    clean,
    count,
    documents,
    mib,
    said,
    tried,
    was_cut,
    words,
)
from assay.probes.vendor_errors import tool_error

NEURON = "neuron"
Fact = Accelerator | VendorToolError | DeviceAffinity | DeviceProcess | PeerPath

NEURON_LS = command(
    "neuron-ls", "-j",
    looks_like=r'"neuron_device":\s*\d+,\s*"(?:\w+)":',
)  # fmt: skip
TABLE = saved("neuron-ls", looks_like=r"^\|(?: *NEURON *\|)+[^\n]*\n\| *DEVICE *\|.*$")
FAILED = saved("neuron-ls-error", looks_like=r"^.*neuron-ls:? .*(?:error|failed|no ).*$")
COUNTERS = files(
    "/sys/devices/virtual/neuron_device/neuron[0-9]*/stats/hardware/"
    "{mem,sram}_ecc_uncorrected/total",
    name="neuron-counters",
)

# Instance families and the chip in them, from the EC2 instance type documentation.
_CHIPS = {
    "inf1": "Inferentia", "inf2": "Inferentia2", "trn1": "Trainium", "trn1n": "Trainium",
    "trn2": "Trainium2", "trn2n": "Trainium2", "trn2u": "Trainium2", "trn3": "Trainium3",
}  # fmt: skip
_INSTANCE = re.compile(r"instance[-_]type\"?:\s*\"?([a-z0-9]+)(?:\.\w+)?")
_COUNTER = re.compile(r"/neuron(\d+)/stats/hardware/(?:mem|sram)_ecc_uncorrected/total$")


def chip(instance_type: str) -> str:
    """The chip in an instance type (``trn2.48xlarge``); "" when unlisted."""
    return _CHIPS.get(instance_type.partition(".")[0].lower(), "")


@probe("neuron.devices", reads=[NEURON_LS, COUNTERS])
def devices(seen: Seen) -> Iterator[Fact]:
    """Neuron devices, how they are connected, and memory errors that could not be corrected."""
    capture = tried(seen, NEURON_LS)
    if capture is None:
        return
    if capture.status is not Status.ANSWERED:
        seen.answered(NEURON_LS)
    text = clean(capture.data.decode("utf-8", "replace"))
    if capture.exit_code or not ("{" in text or "[]" in text):
        yield _error(capture)
        return
    found = [item for document in documents(text, "neuron-ls") for item in _listed(document)]
    product = chip(match.group(1)) if (match := _INSTANCE.search(text)) else ""
    errors = _uncorrected(seen)
    for item in found:
        yield from _device(item, product, errors)
    if was_cut(text):
        raise Unread("neuron-ls's output was cut short by hand: devices are missing")


def _error(capture: Capture) -> VendorToolError:
    error = tool_error(NEURON, "neuron-ls", said(capture), capture.exit_code)
    if error is None:
        raise Unread(f"neuron-ls printed nothing usable: {said(capture).strip()[:120]!r}")
    return error


def _listed(document: object) -> Iterator[dict[str, Any]]:
    """The devices in a document; newer versions wrap the list."""
    if isinstance(document, dict):
        if count(document.get("neuron_device")) is not None:
            yield document
            return
        for value in document.values():
            if isinstance(value, list):
                yield from (i for i in value if isinstance(i, dict) and "neuron_device" in i)
    elif isinstance(document, list):
        yield from (i for i in document if isinstance(i, dict) and "neuron_device" in i)


def _device(item: dict[str, Any], product: str, errors: dict[int, int]) -> Iterator[Fact]:
    index = count(item.get("neuron_device"))
    if index is None:
        return
    size = mib(item.get("memory_size"))
    processes = item.get("neuron_processes")
    yield Accelerator(
        vendor=NEURON,
        index=index,
        product=product,
        bdf=bdf(item.get("bdf")),
        memory_mib=size / 2**20 if size is not None else None,  # in bytes
        ecc_uncorrected_aggregate=errors.get(index),
        processes=len(processes) if isinstance(processes, list) else None,
    )
    node = count(item.get("numa_node"))
    if node is not None or words(item.get("cpu_affinity")):
        yield DeviceAffinity(NEURON, index, node, words(item.get("cpu_affinity")))
    for peer in (
        item.get("connected_to") or () if isinstance(item.get("connected_to"), list) else ()
    ):
        target = count(peer)
        if target is not None and target != index:
            yield PeerPath(NEURON, index, target, "neuronlink", hops=1)
    for process in processes if isinstance(processes, list) else ():
        pid = count(process.get("pid")) if isinstance(process, dict) else None
        if pid is not None:
            runtime = words(process.get("neuron_runtime_version"))
            yield DeviceProcess(NEURON, index, pid, words(process.get("command")), None, runtime)


def _uncorrected(seen: Seen) -> dict[int, int]:
    """Uncorrected errors of memory and on-chip memory together, by device."""
    if seen.capture(COUNTERS) is None:
        return {}
    found: dict[int, int] = {}
    for path, text in seen.files(COUNTERS):
        where, errors = _COUNTER.search(path), count(text.strip())
        if where and errors is not None:
            found[int(where.group(1))] = found.get(int(where.group(1)), 0) + errors
    return found


@probe("neuron.table", reads=[TABLE, FAILED])
def table(seen: Seen) -> Iterator[Fact]:
    """Neuron devices from the table that neuron-ls prints for people."""
    if (complaint := tried(seen, FAILED)) is not None:
        yield _error(complaint)
    capture = tried(seen, TABLE)
    if capture is None:
        return
    text = clean(seen.text(TABLE))
    product = chip(match.group(1)) if (match := _INSTANCE.search(text)) else ""
    device: Accelerator | None = None
    held: list[DeviceProcess] = []
    for cells in _cells(text):
        index = count(cells.get("neuron device"))
        if index is not None:
            if device is not None:
                yield _with(device, held, cells)
                yield from held
            device, held = _row(index, product, cells), []
            yield from _around(index, cells)
        pid = count(cells.get("pid"))
        if device is not None and pid is not None:
            runtime = words(cells.get("runtime version"))
            held.append(DeviceProcess(NEURON, device.index, pid, words(cells.get("command")),
                                      None, runtime))  # fmt: skip
    if device is None:
        raise Unread("neuron-ls's table lists no device")
    yield _with(device, held, cells)
    yield from held
    if was_cut(text):
        raise Unread("neuron-ls's output was cut short by hand: devices are missing")


def _with(device: Accelerator, held: list[DeviceProcess], cells: dict[str, str]) -> Accelerator:
    return replace(device, processes=len(held)) if "pid" in cells else device


def _cells(text: str) -> Iterator[dict[str, str]]:
    """Rows by heading; headings stand on two or more lines, one above the other."""
    for rows in boxed(text):
        width = len(rows[0])
        same = [row for row in rows if len(row) == width]
        body = next((n for n, row in enumerate(same) if row[0].isdigit()), len(same))
        head = [" ".join(c for c in column if c).lower()
                for column in zip(*same[:body], strict=True)]  # fmt: skip
        for row in same[body:]:
            yield dict(zip(head, row, strict=True))


def _row(index: int, product: str, cells: dict[str, str]) -> Accelerator:
    place = bdf(cells.get("pci bdf") or cells.get("pci"))
    return Accelerator(
        NEURON, index, product, bdf=place, memory_mib=mib(cells.get("neuron memory"))
    )


def _around(index: int, cells: dict[str, str]) -> Iterator[DeviceAffinity | PeerPath]:
    node = count(cells.get("numa node"))
    if node is not None or words(cells.get("cpu affinity")):
        yield DeviceAffinity(NEURON, index, node, words(cells.get("cpu affinity")))
    for peer in cells.get("connected devices", "").split(","):
        target = count(peer.strip())
        if target is not None and target != index:
            yield PeerPath(NEURON, index, target, "neuronlink", hops=1)
