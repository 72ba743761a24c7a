"""Put the GPUs that nvidia-smi lost between those that it shows."""

from collections.abc import Iterator, Sequence
from itertools import count

from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.model.facts.nvidia import MigInstance, NvidiaDevice
from assay.probes.nvidia_record import Record, everything
from assay.probes.nvidia_words import VENDOR, lost_number

Found = Accelerator | NvidiaDevice | MigInstance | DeviceProcess | VendorToolError
NO_GPU = "00000000-0000"  # how a masked UUID starts


def all_of(records: Sequence[Record], complaints: Sequence[VendorToolError]) -> Iterator[Found]:
    """The facts of *records*, and a GPU with its fault for every lost one.

    nvidia-smi numbers GPUs by PCI address and leaves out those that it cannot open, so a lost
    one takes its number between the others. Of several answers the last about a GPU counts.
    """
    latest = {_key(record, place): record for place, record in enumerate(records)}
    found = list(latest.values())
    lost: list[tuple[Record, str]] = []
    for complaint in complaints:
        number = lost_number(complaint.message)
        known = complaint.device in latest or f"number {number}" in latest
        # An address alone does not number a GPU where no other is shown.
        placed = number is not None or (complaint.device and found)
        if complaint.kind == "device-lost" and placed and not known:
            lost.append((Record(values={"id": complaint.device}, index=number), complaint.message))
    indices = _numbered(found, [record for record, _ in lost])
    messages = {id(record): message for record, message in lost}
    for record in sorted([*found, *(gone for gone, _ in lost)], key=lambda r: indices[id(r)]):
        index = indices[id(record)]
        if id(record) in messages:
            yield Accelerator(VENDOR, index, bdf=record.bdf, fault=messages[id(record)])
        else:
            yield from everything(record, index)


def _numbered(found: Sequence[Record], lost: Sequence[Record]) -> dict[int, int]:
    """The index of every record: those printed first, the others take the gaps in order."""
    order = [record for record in found if record.index is None]
    for gone in (record for record in lost if record.index is None):
        after = (n for n, record in enumerate(order) if record.bdf > gone.bdf)
        order.insert(next(after, len(order)), gone)
    printed = {id(r): r.index for r in (*found, *lost) if r.index is not None}
    free = (n for n in count() if n not in printed.values())
    return printed | {id(record): next(free) for record in order}


def _key(record: Record, place: int) -> str:
    uuid = record.word("uuid").removeprefix("GPU-")
    if record.bdf or record.index is not None:
        return record.bdf or f"number {record.index}"
    return uuid if uuid and not uuid.startswith(NO_GPU) else f"place {place}"
