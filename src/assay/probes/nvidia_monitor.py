"""Lines of `nvidia-smi dmon` and `nvidia-smi pmon`, with any choice of columns."""

from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import Reading, saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.device import DeviceProcess
from assay.probes.nvidia_words import VENDOR
from assay.probes.pasted import clean, count, real, tried, words

DMON = saved(
    "nvidia-smi.dmon",
    looks_like=r"^# *(?:Date +Time +|Time +)?gpu +(?![^\n]*\bpid\b)(?:\w+ +)*"
    r"(?:pwr|gtemp|sm|mclk|fb|rxpci|sbecc)\b[^\n]*\n#[^\n]*(?:\n[^\n]*){0,3}",
)
PMON = saved(
    "nvidia-smi.pmon",
    looks_like=r"^# *(?:Date +Time +|Time +)?gpu +(?:\w+ +)*pid +type\b[^\n]*\n#[^\n]*"
    r"(?:\n[^\n]*){0,3}",
)


@probe("nvidia.dmon", reads=[DMON])
def monitor(seen: Seen) -> Iterator[Accelerator]:
    """The last values of each GPU in `nvidia-smi dmon`."""
    if tried(seen, DMON) is None:
        return
    latest = {row["gpu"]: row for row in _rows(seen, DMON)}
    for index, row in latest.items():
        yield Accelerator(
            VENDOR,
            int(index),
            memory_used_mib=_from_zero(row.get("fb")),
            utilization_percent=_from_zero(row.get("sm")),
            temperature_c=_from_zero(row.get("gtemp") or row.get("temp")),
            memory_temperature_c=_from_zero(row.get("mtemp")),
            power_w=_from_zero(row.get("pwr")),
        )
    if not latest:
        raise Unread("`nvidia-smi dmon` printed no values")


@probe("nvidia.pmon", reads=[PMON])
def processes(seen: Seen) -> Iterator[DeviceProcess]:
    """Processes in `nvidia-smi pmon`."""
    if tried(seen, PMON) is None:
        return
    found = {}
    rows = list(_rows(seen, PMON))
    for row in rows:
        pid = count(row.get("pid"))
        if pid is not None:
            name = words(row.get("command") or row.get("name"))
            used = _from_zero(row.get("fb"))
            found[row["gpu"], pid] = DeviceProcess(VENDOR, int(row["gpu"]), pid, name, used)
    yield from found.values()
    if not rows:
        raise Unread("`nvidia-smi pmon` printed no values")


def _from_zero(word: str | None) -> float | None:
    found = real(word)
    return found if found is not None and found >= 0 else None


def _rows(seen: Seen, reading: Reading) -> Iterator[dict[str, str]]:
    """Cells by the names in the heading (of two heading lines the first has the names)."""
    columns: list[str] = []
    for line in clean(seen.text(reading)).split("\n"):
        cells = line.split()
        if cells and cells[0].startswith("#"):
            names = (cells[0].lstrip("#").split() + cells[1:]) if cells else []
            if "gpu" in names:
                columns = names
        elif columns and len(cells) >= len(columns):
            cells[len(columns) - 1 :] = [" ".join(cells[len(columns) - 1 :])]
            row = dict(zip(columns, cells, strict=True))
            if row["gpu"].isdecimal() and len(row["gpu"]) < 5:
                yield row
