"""Put the GPUs that nvidia-smi lost between those that it shows."""

from collections.abc import Iterator, Sequence
from itertools import count

from assay.kit.seen import Unread
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.model.facts.nvidia import MigInstance, NvidiaDevice
from assay.probes.nvidia_closed import strange
from assay.probes.nvidia_record import Record, everything
from assay.probes.nvidia_words import VENDOR, lost_number

Found = Accelerator | NvidiaDevice | MigInstance | DeviceProcess | VendorToolError
PLACE = "place"  # among the GPUs of its answer, where a sentence stands for a GPU
NO_GPU = "00000000-0000"  # how a masked UUID starts


def all_of(records: Sequence[Record], complaints: Sequence[VendorToolError]) -> Iterator[Found]:
    """The facts of *records*, and a GPU with its fault for every lost one.

    nvidia-smi numbers GPUs by PCI address and leaves out those that it cannot open, so a lost
    one takes its number between the others. Of several answers the last about a GPU counts.
    A word that nobody lists is Unread, when all else is told.
    """
    latest = {_key(record, place): record for place, record in enumerate(records)}
    found = list(latest.values())
    lost: list[Record] = []
    for complaint in complaints:
        number = lost_number(complaint.message)
        known = complaint.device in latest or f"number {number}" in latest
        # An address alone does not number a GPU where no other is shown.
        placed = number is not None or (complaint.device and found)
        if complaint.kind == "device-lost" and placed and not known:
            values = {"id": complaint.device}
            lost.append(Record(values=values, index=number, lost=complaint.message))
    indices = _numbered(found, lost)
    for record in sorted([*found, *lost], key=lambda r: indices[id(r)]):
        index = indices[id(record)]
        if record.lost:
            yield Accelerator(VENDOR, index, bdf=record.bdf, fault=record.lost)
        else:
            yield from everything(record, index)
    for record in found:
        for name, word in strange(record.values):
            raise Unread(f"gpu {indices[id(record)]}: {name} is {word[:80]!r}, not a listed word")


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
    if record.lost:
        return f"lost {record.bdf or record.values.get(PLACE, place)}"
    uuid = record.word("uuid").removeprefix("GPU-")
    if record.bdf or record.index is not None:
        return record.bdf or f"number {record.index}"
    return uuid if uuid and not uuid.startswith(NO_GPU) else f"place {place}"
