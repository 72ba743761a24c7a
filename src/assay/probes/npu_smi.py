"""Huawei Ascend NPUs of a node, from npu-smi."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from assay.kit.probe import probe
from assay.kit.reading import command
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.model.facts.software import Software
from assay.probes.pasted import bdf, boxed, clean, count, mib, real, said, tried, was_cut, words
from assay.probes.vendor_errors import tool_error

ASCEND = "ascend"
Fact = Accelerator | VendorToolError | DeviceProcess | Software

INFO = command(
    "npu-smi", "info", deadline=15,
    looks_like=r"^\| *npu-smi +\S+ +Version: +\S+ *\|\s*$[\s\S]{0,300}"
    r"|dcmi module init\w* failed[^\n]*",
)  # fmt: skip
MAPPING = command(
    "npu-smi", "info", "-m",
    looks_like=r"^[ \t]*NPU ID +Chip ID +Chip (?:Logic|Phy-?)[^\n]*Chip Name\s*$",
)  # fmt: skip

_VERSION = re.compile(r"npu-smi +(\S+) +Version: +(\S+)")
_NAME = re.compile(r"(\d{1,6})\s+(\S.*)")
_CHIP = re.compile(r"(\d{1,6})(?:\s+(\d{1,6}))?")
_PAIR = re.compile(r"(\d+)\s*/\s*(\d+)")
# NPU, chip, number on the node; newer versions add the physical number.
_MAPPED = re.compile(
    r"^\s*(\d{1,6})\s+(\d{1,6})\s+(\d{1,6})\s+(?:\d{1,6}\s{2,})?(\S[^\n]*?)\s*$", re.MULTILINE
)
_SOUND = "OK"


@dataclass(frozen=True, slots=True)
class _Chip:
    """One chip as two lines of the table show it."""

    npu: int
    number: int  # within its NPU
    device: int | None  # of the node, where the version has that column
    name: str
    health: str
    power: str
    heat: str
    place: str
    busy: str
    memory: tuple[float, float] | None


@probe("ascend.devices", reads=[INFO, MAPPING])
def devices(seen: Seen) -> Iterator[Fact]:
    """Ascend chips: health in npu-smi's word, heat, power and memory."""
    capture = tried(seen, INFO)
    names = _mapping(seen)
    if capture is None:
        yield from (Accelerator(ASCEND, n, name) for n, name in sorted(names.values()))
        return
    if capture.status is not Status.ANSWERED:
        seen.answered(INFO)
    text = clean(capture.data.decode("utf-8", "replace"))
    driver = found.group(2) if (found := _VERSION.search(text)) else ""
    chips = list(_chips(text))
    if not chips:
        error = tool_error(ASCEND, "npu-smi", said(capture), capture.exit_code)
        if error is None:
            raise Unread(f"npu-smi listed no chip: {text.strip()[:120]!r}")
        yield error
        return
    if driver:
        yield Software("ascend-driver", driver, "module")
    indices = _indices(chips)
    for chip in chips:
        known = names.get((chip.npu, chip.number), (0, ""))[1]
        yield _accelerator(chip, indices[chip.npu, chip.number], known, driver)
    yield from _processes(text, indices)
    if was_cut(text):
        raise Unread("npu-smi's output was cut short by hand: there may be more chips")


def _chips(text: str) -> Iterator[_Chip]:
    """Pairs of lines: the NPU above, the chip below."""
    for table in boxed(text):
        above: list[str] | None = None
        hbm = any("HBM" in cell for row in table for cell in row)
        for row in table:
            if len(row) != 3 or not row[0][:1].isdigit():
                above = None
            elif above is None:
                above = row
            else:
                chip = _chip(above, row, hbm)
                if chip is not None:
                    yield chip
                above = None


def _chip(above: list[str], below: list[str], hbm: bool) -> _Chip | None:
    name, number = _NAME.fullmatch(above[0]), _CHIP.fullmatch(below[0])
    if name is None or number is None:
        return None
    power, heat = [*above[2].split(), "", ""][:2]
    pairs = [(float(used), float(total)) for used, total in _PAIR.findall(below[2])]
    # DDR first, then HBM: chips with HBM show their DDR as 0 / 0, or as memory of the host side.
    memory = pairs[1] if hbm and len(pairs) > 1 and pairs[1][1] else pairs[0] if pairs else None
    return _Chip(
        npu=int(name.group(1)),
        number=int(number.group(1)),
        device=int(number.group(2)) if number.group(2) else None,
        name="" if set(name.group(2).lower()) == {"x"} else name.group(2),
        health=above[1],
        power=power,
        heat=heat,
        place=bdf(below[1]),
        busy=[*below[2].split(), ""][0],
        memory=memory if memory and memory[1] else None,
    )


def _indices(chips: list[_Chip]) -> dict[tuple[int, int], int]:
    """The number of each chip on its node: the tool's own, or the NPU's if it has one chip."""
    keys = [(chip.npu, chip.number) for chip in chips]
    devices = [chip.device for chip in chips]
    if None not in devices and len(set(devices)) == len(devices):
        return {key: device or 0 for key, device in zip(keys, devices, strict=True)}
    if max(Counter(npu for npu, _ in keys).values()) == 1:
        return {key: key[0] for key in keys}
    return {key: at for at, key in enumerate(dict.fromkeys(keys))}


def _accelerator(chip: _Chip, index: int, known: str, driver: str) -> Accelerator:
    used, total = chip.memory or (None, None)
    return Accelerator(
        vendor=ASCEND,
        index=index,
        product=chip.name or known,
        bdf=chip.place,
        driver=driver,
        memory_mib=total,
        memory_used_mib=used,
        utilization_percent=real(chip.busy),
        temperature_c=real(chip.heat),
        power_w=real(chip.power),
        fault="" if chip.health == _SOUND else f"npu-smi says health {chip.health or 'nothing'}",
    )


def _processes(text: str, indices: dict[tuple[int, int], int]) -> Iterator[DeviceProcess]:
    for row in (row for table in boxed(text) for row in table if len(row) == 4):
        where = [count(word) for word in row[0].split()]
        pid = count(row[1])
        if pid is None or len(where) != 2 or where[0] is None or where[1] is None:
            continue
        index = indices.get((where[0], where[1]))
        if index is not None:
            memory = mib(f"{row[3]} MB")
            yield DeviceProcess(ASCEND, index, pid, words(row[2]), memory)


def _mapping(seen: Seen) -> dict[tuple[int, int], tuple[int, str]]:
    """NPU and chip -> number on the node and name, from ``npu-smi info -m``.

    Lines of the card's own controller (Mcu) have no such number.
    """
    capture = tried(seen, MAPPING)
    if capture is None or capture.status is not Status.ANSWERED or capture.exit_code:
        return {}
    text = clean(capture.data.decode("utf-8", "replace"))
    found: dict[tuple[int, int], tuple[int, str]] = {}
    for npu, chip, logic, name in _MAPPED.findall(text):
        found[int(npu), int(chip)] = (int(logic), words(name))
    return found
