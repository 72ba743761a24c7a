"""The GPUs that the NVIDIA kernel driver has bound, without asking nvidia-smi."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.nvidia import DriverGpu
from assay.probes.nvidia_words import said, yes
from assay.probes.pasted import bdf, clean, count, tried

GPUS = files(
    "/proc/driver/nvidia/gpus/*/information",
    name="nvidia-gpus",
    looks_like=r"^Model:\s+[^\n]*\nIRQ:[^\n]*\nGPU UUID:[^\n]*(?:\n[^\n]*){0,6}",
)


@probe("nvidia.driver-gpus", reads=[GPUS])
def bound(seen: Seen) -> Iterator[DriverGpu]:
    """GPUs under /proc/driver/nvidia/gpus: the driver knows them even when it cannot use them."""
    if tried(seen, GPUS) is None:
        return
    for entry in seen.entries(GPUS):
        if entry.status != Status.ANSWERED:
            raise Unread(f"`{entry.path}`: {entry.status}")
        values: dict[str, str] = {}
        for line in clean(entry.data.decode("utf-8", "replace")).split("\n"):
            label, _, value = line.partition(":")
            values.setdefault(label.strip().lower(), value.strip())
        address = bdf(values.get("bus location")) or bdf(PurePosixPath(entry.path).parent.name)
        if not address:
            raise Unread(f"`{entry.path}` names no bus location")
        yield DriverGpu(
            bdf=address,
            product=_known(values.get("model")),
            uuid=_known(values.get("gpu uuid")),
            firmware=_known(values.get("video bios")),
            gsp_firmware=_known(values.get("gpu firmware")),
            minor=count(values.get("device minor")),
            excluded=yes(values.get("gpu excluded") or values.get("blacklisted")),
        )


def _known(word: str | None) -> str:
    """The driver prints question marks for what a GPU does not answer."""
    return "" if word is not None and "??" in word else said(word)
