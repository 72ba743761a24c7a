"""The long form of hl-smi (``-q``, ``-L``): one indented section for each Gaudi accelerator."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.software import Software
from assay.probes.hl_smi import GAUDI
from assay.probes.pasted import bdf, clean, count, mib, real, tried, was_cut, words

LOG = saved(
    "hl-smi-log",
    looks_like=r"^=+ HL-SMI LOG =+[\s\S]{0,400}|^\[\d+\] AIP \(accel\d+\) [0-9a-f:.]+\s*$",
)
_DEVICE = re.compile(r"^\[(\d{1,4})\] AIP \((?:accel|hl)(\d{1,4})\)\s+([0-9A-Fa-f:.]+)\s*$")
_PAIR = re.compile(r"^(\s*)([^:\n]+?)?\s*:\s+(\S.*?)\s*$")
_GENERATION = {2.5: 1, 5: 2, 8: 3, 16: 4, 32: 5}
_SOUND = "Operational"


@probe("gaudi.log", reads=[LOG])
def log(seen: Seen) -> Iterator[Accelerator | Software]:
    """Gaudi accelerators from hl-smi's long form, with replaced rows and the state of modules."""
    if tried(seen, LOG) is None:
        return
    text = clean(seen.text(LOG))
    driver = found.group(1) if (found := re.search(r"^Driver Version\s*:\s*(\S+)", text,
                                                   re.MULTILINE)) else ""  # fmt: skip
    if driver:
        yield Software("habanalabs", driver, "module")
    heads = [(n, m) for n, line in enumerate(text.split("\n")) if (m := _DEVICE.match(line))]
    lines = text.split("\n")
    for at, (start, head) in enumerate(heads):
        end = heads[at + 1][0] if at + 1 < len(heads) else len(lines)
        values = _values(lines[start + 1 : end])
        yield _accelerator(int(head.group(1)), bdf(head.group(3)), driver, values)
    if not heads:
        raise Unread("hl-smi's log lists no accelerator")
    if was_cut(text):
        raise Unread("hl-smi's log was cut short by hand")


def _values(lines: list[str]) -> dict[str, str]:
    """Values by the names above them: ``memory usage/total``."""
    path: list[tuple[int, str]] = []
    found: dict[str, str] = {}
    for line in lines:
        if line.strip() and not line[:1].isspace():
            break
        depth = len(line) - len(line.lstrip())
        pair = _PAIR.match(line)
        if not line.strip():
            continue
        name = ((pair.group(2) or "") if pair else line).strip().lower()
        if name:
            while path and path[-1][0] >= depth:
                path.pop()
        if pair is None and len(path) < 8:
            path.append((depth, name))
        elif pair is not None:
            key = "/".join([*(above for _, above in path), *([name] if name else [])])
            found.setdefault(key, pair.group(3))
    return found


def _accelerator(index: int, place: str, driver: str, values: dict[str, str]) -> Accelerator:
    chip = _hottest(values, "on chip")
    state = words(values.get("module status"))
    psu = next((k for k in values if k.startswith("power readings") and "54v" in k), "")
    power = psu.rpartition("/")[0] or "power readings"
    link = "pci/aip link info"
    slow = {
        name.rpartition("/")[2]: word
        for name, word in values.items()
        if name.startswith("clocks throttle reasons")
    }
    return Accelerator(
        vendor=GAUDI,
        index=index,
        product=words(values.get("product name")),
        uuid=words(values.get("aip uuid")),
        bdf=place,
        driver=driver,
        memory_mib=mib(values.get("memory usage/total")),
        memory_used_mib=mib(values.get("memory usage/used")),
        temperature_c=chip,
        memory_temperature_c=_hottest(values, "hbm"),
        power_w=real(values.get(f"{power}/power draw")),
        power_limit_w=real(values.get(f"{power}/power limit")),
        pcie_generation=_GENERATION.get(real(values.get(f"{link}/link speed/current")) or 0),
        pcie_generation_max=_GENERATION.get(real(values.get(f"{link}/link speed/max")) or 0),
        pcie_width=count(values.get(f"{link}/link width/current", "").lstrip("x")),
        pcie_width_max=count(values.get(f"{link}/link width/max", "").lstrip("x")),
        remap_corrected=count(values.get("replaced rows/single bit ecc")),
        remap_uncorrected=count(values.get("replaced rows/double bit ecc")),
        remap_pending={"Yes": True, "No": False}.get(values.get("replaced rows/pending", "")),
        throttle=tuple(name for name, word in slow.items() if word == "Active") if slow else None,
        fault="" if state in ("", _SOUND) else f"hl-smi says the module is {state}",
    )


def _hottest(values: dict[str, str], sensor: str) -> float | None:
    """The hottest of the sensors of a kind, ``[ 1] On Chip 0``."""
    heats = [
        real(value)
        for name, value in values.items()
        if re.match(rf"temperature/\[ ?\d+\] {sensor}", name)
    ]
    return max((heat for heat in heats if heat is not None), default=None)
