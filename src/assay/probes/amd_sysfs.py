"""Memory errors of AMD GPUs as the amdgpu driver counts them, where no tool is installed."""

import re
from collections import Counter
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.quantity import integer
from assay.kit.reading import Reading, files, links
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.device import BadPages, RasBlock
from assay.probes.amd_records import AMD
from assay.probes.pasted import bdf

ROOT = "/sys/class/drm/"
LAST = ROOT + "version"  # wherever there is a graphics subsystem; proves a whole answer
CARDS = links(ROOT + "card[0-9]*/device", name="drm-cards")
ERRORS = files(
    ROOT + "{card[0-9]*/device/ras/{umc,gfx,sdma,mmhub,xgmi_wafl}_err_count,version}",
    name="amdgpu-ras",
)
PAGES = files(ROOT + "{card[0-9]*/device/ras/gpu_vram_bad_pages,version}", name="amdgpu-bad-pages")

_CARD = re.compile(r"/(card\d+)/device(?:/ras/(?:(\w+)_err_count|gpu_vram_bad_pages))?$")
_COUNT = re.compile(r"^\s*(ue|ce|de):\s*(\d+)\s*$", re.MULTILINE)
_PAGE = re.compile(r"0x[0-9a-f]+\s*:\s*0x[0-9a-f]+\s*:\s*([RPF])", re.IGNORECASE)


def _places(seen: Seen) -> dict[str, str]:
    """PCI address by card. Connectors (card0-DP-1) link to a card, and drop out."""
    if seen.capture(CARDS) is None:
        return {}
    found = {}
    for path, target in seen.files(CARDS):
        card, place = _CARD.search(path), bdf(target.strip().rpartition("/")[2])
        if card and place:
            found[card.group(1)] = place
    return found


def _texts(seen: Seen, reading: Reading) -> list[tuple[str, str]]:
    """Every file; one that could not be read, or an answer without its end, is Unread."""
    found = []
    for entry in seen.entries(reading):
        if entry.status != Status.ANSWERED:
            raise Unread(f"`{entry.path}`: {entry.status}")
        found.append((entry.path, entry.data.decode("utf-8", "replace")))
    if not seen.absent(reading) and not dict(found).get(LAST, "").startswith("drm"):
        raise Unread(f"`{reading.source}` was not answered to its end")
    return [(path, text) for path, text in found if path != LAST]


@probe("amd.ras-counters", reads=[ERRORS, CARDS])
def errors(seen: Seen) -> Iterator[RasBlock]:
    """Errors that each block of a GPU has corrected and could not correct."""
    places = _places(seen)
    for path, text in _texts(seen, ERRORS):
        card = _CARD.search(path)
        if card is None or not card.group(2):
            raise Unread(f"{path} is no RAS counter")
        told = {kind: integer(number) for kind, number in _COUNT.findall(text)}
        if "ue" not in told:
            raise Unread(f"{path} says {text.strip()[:60]!r}, not how many errors there were")
        yield RasBlock(
            AMD, None, places.get(card.group(1), card.group(1)), card.group(2).upper(), None,
            told.get("ce"), told["ue"], told.get("de"),
        )  # fmt: skip


@probe("amd.bad-pages", reads=[PAGES, CARDS])
def pages(seen: Seen) -> Iterator[BadPages]:
    """Pages of GPU memory that are out of use, or wait for a reset to be."""
    places = _places(seen)
    for path, text in _texts(seen, PAGES):
        card = _CARD.search(path)
        if card is None:
            raise Unread(f"{path} is no list of bad pages")
        flags: Counter[str] = Counter()
        for line in text.split("\n"):
            page = _PAGE.fullmatch(line.strip())
            if page is None and line.strip():
                raise Unread(f"{path} says {line.strip()[:60]!r}, not which page is bad")
            flags.update(page.group(1).upper() if page else "")
        place = places.get(card.group(1), card.group(1))
        yield BadPages(AMD, None, place, flags["R"], flags["P"], flags["F"])
