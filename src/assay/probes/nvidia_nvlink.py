"""NVLinks of every GPU: state and speed, error counters, capabilities."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import command, saved
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.accelerator import ScaleUpLink
from assay.model.facts.nvidia import NvlinkCapability, NvlinkErrors, NvlinkState
from assay.probes.nvidia_words import NO_DEVICES, VENDOR, choice, errors, no_devices
from assay.probes.pasted import clean, count, real, said, tried

_HEAD = r"^[ \t]*GPU \d+: [^\n]+\n"
STATUS = command(
    "nvidia-smi",
    "nvlink",
    "-s",
    name="nvidia-smi.nvlink-status",
    deadline=15.0,
    looks_like=_HEAD
    + r"(?:[ \t]*Link \d+: (?:[\d.]+ GB/s|<?inactive>?)[^\n]*\n?)+"
    + r"|"
    + _HEAD
    + r"[^\n]*(?:[Nn]v[Ll]ink|NVLink)[^\n]*",
)
ERRORS = command(
    "nvidia-smi",
    "nvlink",
    "-e",
    name="nvidia-smi.nvlink-errors",
    deadline=15.0,
    looks_like=_HEAD + r"(?:[ \t]*Link \d+: [A-Za-z][^:\n]*: [^\n]*\n?)+",
)
CAPABILITIES = saved(
    "nvidia-smi.nvlink-capabilities",
    looks_like=_HEAD + r"(?:[ \t]*Link \d+[,:] [A-Za-z][^:\n]*support[^:\n]*: [^\n]*\n?)+",
)

_GPU = re.compile(r"GPU (\d{1,4}): (.+?)(?: \(UUID: .*)?")
_STATE = re.compile(r"Link (\d{1,4}): (?:([\d.]+) GB/s|<?(inactive)>?)")
_COUNTER = re.compile(r"Link (\d{1,4}): ([A-Za-z][^:]*): *(\S+).*")
_CAPABILITY = re.compile(r"Link (\d{1,4})[,:] ([A-Za-z][^:]*): *(\w+)")
_NONE = re.compile(r"does not have or support nvlink|not supported by this device|no nvlink", re.I)

Links = dict[int, dict[int, float | None]]  # speed by GPU and link; None is inactive
Counters = dict[tuple[int, int], dict[str, str]]


@probe("nvidia.nvlink", reads=[STATUS, ERRORS])
def links(seen: Seen) -> Iterator[NvlinkState | ScaleUpLink | NvlinkErrors]:
    """NVLinks, whether they are up and at which speed, and what went wrong on them."""
    counters = _counters(seen)
    status = tried(seen, STATUS)
    if status is not None:
        text = clean(seen.text(STATUS, exits=(0, NO_DEVICES)))
        products, speeds, notes = _states(text)
        spoken = said(status).strip()  # with nothing at all the tool says that no GPU has links
        if not products and spoken and not no_devices(spoken):
            _complain(spoken)
        for index, product in products.items():
            found, note = speeds.get(index, {}), notes.get(index, "")
            yield NvlinkState(
                index,
                product,
                True if found else False if _NONE.search(note) else None,
                len(found) if found else None,
                sum(speed is not None for speed in found.values()) if found else None,
                note,
            )
            for link, speed in found.items():
                yield _link(index, link, speed, counters.get((index, link), {}))
    for (index, link), named in counters.items():
        whole = [(name, count(word)) for name, word in named.items() if "ber" not in name.split()]
        rates = [(name, real(word)) for name, word in named.items() if "ber" in name.split()]
        told = tuple((name, value) for name, value in whole if value is not None)
        odds = tuple((name, value) for name, value in rates if value is not None)
        if told or odds:
            yield NvlinkErrors(index, link, told, odds)


def _link(index: int, link: int, speed: float | None, counters: dict[str, str]) -> ScaleUpLink:
    return ScaleUpLink(
        VENDOR,
        index,
        link,
        up=speed is not None,
        gbytes_per_second=speed,
        replays=count(counters.get("replay errors")),
        recoveries=count(
            counters.get("recovery errors", counters.get("total link recovery events"))
        ),
        crc_errors=count(counters.get("crc errors")),
    )


def _states(text: str) -> tuple[dict[int, str], Links, dict[int, str]]:
    products: dict[int, str] = {}
    speeds: Links = {}
    notes: dict[int, str] = {}
    index = None
    for line in (raw.strip() for raw in text.split("\n")):
        if gpu := _GPU.fullmatch(line):
            index = int(gpu.group(1))
            products[index] = gpu.group(2)
        elif index is not None and (link := _STATE.fullmatch(line)):
            speeds.setdefault(index, {})[int(link.group(1))] = real(link.group(2))
        elif index is not None and line and "nvlink" in line.lower():
            notes.setdefault(index, line[:200])
    return products, speeds, notes


def _counters(seen: Seen) -> Counters:
    """Counters by GPU and link; none where the tool could not be asked."""
    capture = tried(seen, ERRORS)
    found: Counters = {}
    if capture is None or capture.status is not Status.ANSWERED:
        return found
    index = None
    for line in clean(capture.data.decode("utf-8", "replace")).split("\n"):
        if gpu := _GPU.fullmatch(line.strip()):
            index = int(gpu.group(1))
        elif index is not None and (row := _COUNTER.fullmatch(line.strip())):
            place = found.setdefault((index, int(row.group(1))), {})
            place[row.group(2).strip().lower()] = row.group(3)
    return found


def _complain(text: str) -> None:
    told = next((error.message for error in errors(text)), "")
    raise Unread(told or "`nvidia-smi nvlink` shows no GPU")


@probe("nvidia.nvlink-capabilities", reads=[CAPABILITIES])
def capabilities(seen: Seen) -> Iterator[NvlinkCapability]:
    """What each NVLink can do, from `nvidia-smi nvlink -c`."""
    if tried(seen, CAPABILITIES) is None:
        return
    index, found = None, 0
    text = clean(seen.text(CAPABILITIES))
    for line in (raw.strip() for raw in text.split("\n")):
        if gpu := _GPU.fullmatch(line):
            index = int(gpu.group(1))
        elif index is not None and (row := _CAPABILITY.fullmatch(line)):
            found += 1
            able = choice(row.group(3), "true", "false")
            yield NvlinkCapability(index, int(row.group(1)), row.group(2).strip(), able)
    if not found:
        _complain(text)
