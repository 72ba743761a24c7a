"""What DCGM says of the GPUs: its list, its health watches."""

import re
from collections.abc import Iterator
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceTest
from assay.probes.nvidia_words import VENDOR, errors, said
from assay.probes.pasted import bdf, boxed, clean, count, documents, tried, words

DISCOVERY = saved(
    "dcgmi-discovery",
    looks_like=r"^\d+ GPUs? found\.[^\n]*\n[^\n]*\n\| GPU ID[^\n]*(?:\n[^\n]*){0,4}"
    r"|^Error: (?:unable to establish a connection to the specified host|Unable to connect to host"
    r" engine)[^\n]*",
)
HEALTH = saved(
    "dcgmi-health",
    looks_like=r"Health Monitor Report[^\n]*(?:\n[^\n]*){0,8}|\"Overall Health\":[^\n]*"
    r"|\| Overall Health[^\n]*(?:\n[^\n]*){0,4}",
)
TOOL = "dcgmi-health"

_GPU = re.compile(r"(?:->|GPU ID:|GPU:?|gpuId:?)? *(\d+)")
_OVERALL = re.compile(r"Overall Health:? *(\w[\w ]*)?")
_STATES = {"healthy", "warning", "failure"}


@probe("nvidia.dcgm-discovery", reads=[DISCOVERY])
def discovery(seen: Seen) -> Iterator[Accelerator | VendorToolError]:
    """GPUs that `dcgmi discovery -l` lists."""
    if tried(seen, DISCOVERY) is None:
        return
    text = clean(seen.text(DISCOVERY))
    found: dict[int, dict[str, str]] = {}
    index = None
    for table in boxed(text):
        if not table[0][0].startswith("GPU ID"):
            continue
        for row in table[1:]:
            if row[0].isdecimal():
                index = count(row[0])
            label, _, value = row[1].partition(":") if len(row) > 1 else ("", "", "")
            if index is not None and value:
                found.setdefault(index, {}).setdefault(label.strip().lower(), value.strip())
    for index, about in found.items():
        yield Accelerator(
            VENDOR,
            index,
            said(about.get("name")),
            said(about.get("device uuid")),
            bdf(about.get("pci bus id")),
        )
    counted = re.search(r"^(\d{1,4}) GPUs? found", text, re.MULTILINE)
    if counted and int(counted.group(1)) != len(found):
        raise Unread(f"dcgmi counts {counted.group(1)} GPUs but describes {len(found)}")
    if not found and not counted:
        yield from errors(text, tool="dcgmi")
        raise Unread("`dcgmi discovery -l` lists no GPU")


@probe("nvidia.dcgm-health", reads=[HEALTH])
def health(seen: Seen) -> Iterator[DeviceTest]:
    """The health watches of DCGM, from `dcgmi health -c`."""
    if tried(seen, HEALTH) is None:
        return
    text = clean(seen.text(HEALTH))
    results = list(_of_json(text) if text.lstrip().startswith("{") else _of_table(text))
    yield from results
    if not results:
        raise Unread("no health report of DCGM is there")


def _of_table(text: str) -> Iterator[DeviceTest]:
    """States by GPU. Lines under a state belong to it, whatever their arrows."""
    current: tuple[str, str] | None = None
    lines: dict[tuple[str, str], list[str]] = {}
    for table in boxed(text):
        for row in table:
            overall = next((m for m in map(_OVERALL.search, row) if m), None)
            name, last = row[0].strip(), row[-1].strip()
            gpu = _GPU.fullmatch(name)
            if overall:
                current = "", overall.group(1) or last
            elif gpu and last.lower() in _STATES:
                current = f"gpu {gpu.group(1)}", last
            elif current:
                lines[current].append(" ".join(cell for cell in row if cell.strip(" >-")))
                continue
            if current:
                lines.setdefault(current, [])
    for (device, status), told in lines.items():
        detail = " ".join(part for part in told if part and part != "GPU")[:500]
        yield DeviceTest(TOOL, "health" if device else "overall", device, status, detail=detail)


def _of_json(text: str) -> Iterator[DeviceTest]:
    for answer in documents(text, "`dcgmi health -c -j`"):
        body = _map(_map(answer).get("body")) or _map(answer)
        overall = _map(body.get("Overall Health")) or {"value": body.get("Overall Health")}
        if words(overall.get("value")):
            yield DeviceTest(TOOL, "overall", "", words(overall["value"]))
        for index, gpu in _map(_map(body.get("GPU")).get("children")).items():
            state = words(_map(gpu).get("value"))
            detail = "; ".join(_leaves(_map(gpu).get("children")))[:500]
            if state:
                yield DeviceTest(TOOL, "health", f"gpu {index}", state, detail=detail)


def _leaves(found: Any, depth: int = 0) -> Iterator[str]:
    """The texts under a GPU, each after its label."""
    for label, child in _map(found).items() if depth < 8 else ():
        value = words(_map(child).get("value"))
        if value:
            yield f"{label}: {value}"
        yield from _leaves(_map(child).get("children"), depth + 1)


def _map(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}
