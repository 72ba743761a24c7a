"""Put the GPUs that nvidia-smi lost between those that it shows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
    lost = [c for c in complaints if c.kind == "device-lost" and c.device not in latest]
    messages = {}
    for complaint in lost:
        number = lost_number(complaint.message)
        if not complaint.device and number is None:
            continue
        gone = Record(values={"id": complaint.device}, index=number)
        messages[id(gone)] = complaint.message
        found.insert(_place(gone, found), gone)
    for place, record in enumerate(found):
        message = messages.get(id(record))
        index = place if record.index is None else record.index
        if message is not None:
            yield Accelerator(VENDOR, index, bdf=record.bdf, fault=message)
        else:
            yield from everything([replace(record, index=index)])


def _key(record: Record, place: int) -> str:
    uuid = record.word("uuid").removeprefix("GPU-")
    if record.bdf or record.index is not None:
        return record.bdf or f"number {record.index}"
    return uuid if uuid and not uuid.startswith(NO_GPU) else f"place {place}"


def _place(gone: Record, found: Sequence[Record]) -> int:
    """Where among *found* a lost GPU belongs: by its number, else by its address."""
    if gone.index is not None:
        return min(gone.index, len(found))
    after = (n for n, record in enumerate(found) if record.bdf > gone.bdf)
    return next(after, len(found))
