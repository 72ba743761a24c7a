"""What rocm-smi's keys mean. They are English labels, and changed their capitals in ROCm 6."""

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.kit.seen import Unread
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.device import DeviceAffinity, GpuPartition, PeerPath
from assay.model.facts.software import Software
from assay.probes.amd_facts import GENERATIONS
from assay.probes.amd_records import AMD
from assay.probes.pasted import bdf, count, documents, real, words

Labels = dict[str, Any]
Fact = Accelerator | DeviceAffinity | GpuPartition | PeerPath | Software

_CARD = re.compile(r"card(\d{1,6})")
_LINE = re.compile(r"^GPU\[(\d{1,6})\]\s*:\s*([^:\n]+?)\s*:\s+(.+?)\s*$", re.MULTILINE)
_PCIE = re.compile(r"(\d+(?:\.\d+)?)\s*GT/s\s*x(\d+)")
_BETWEEN = re.compile(r"\(topology\) (weight|hops|link type) between drm devices (\d+) and (\d+)")


def from_json(text: str) -> Iterator[Fact]:
    """``--json``: ``card0`` and so on, and ``system``."""
    cards: dict[int, Labels] = {}
    system: Labels = {}
    for document in documents(text, "rocm-smi's output"):
        for name, labels in document.items() if isinstance(document, dict) else ():
            card = _CARD.fullmatch(str(name))
            if isinstance(labels, dict) and card:
                cards.setdefault(int(card.group(1)), {}).update(_lower(labels))
            elif isinstance(labels, dict) and name == "system":
                system.update(_lower(labels))
    yield from _facts(cards, system, "rocm-smi's output")


def from_lines(text: str) -> Iterator[Fact]:
    """``GPU[0] : Temperature (Sensor edge) (C): 31.0``, as without ``--json``."""
    cards: dict[int, Labels] = {}
    for index, label, value in _LINE.findall(text):
        cards.setdefault(int(index), {}).setdefault(label.strip().lower(), value)
    driver = re.search(r"^Driver version:\s*(\S+)", text, re.MULTILINE)
    system = {"driver version": driver.group(1)} if driver else {}
    yield from _facts(cards, system, "rocm-smi's output")


def from_csv(text: str) -> Iterator[Fact]:
    """``--csv``: one line for each card."""
    lines = text[text.index("device,") :].splitlines() if "device," in text else []
    cards: dict[int, Labels] = {}
    for row in csv.DictReader(lines):
        card = _CARD.fullmatch(row.get("device") or "")
        if card:
            cards[int(card.group(1))] = {str(k).lower(): v for k, v in row.items() if k}
    yield from _facts(cards, {}, "rocm-smi's output")


def _lower(labels: Mapping[Any, Any]) -> Labels:
    return {str(key).strip().lower(): value for key, value in labels.items()}


def _facts(cards: Mapping[int, Labels], system: Labels, what: str) -> Iterator[Fact]:
    if not cards:
        raise Unread(f"{what} names no card")
    driver = words(_first(system, "driver version"))
    if driver:
        yield Software("amdgpu", driver, "module")
    for index in sorted(cards):
        yield _card(index, cards[index], driver)
        compute, memory = _partition(cards[index])
        if compute or memory:
            yield GpuPartition(index, compute, memory)
        node = count(cards[index].get("(topology) numa node"))
        if node is not None:
            yield DeviceAffinity(AMD, index, node)
    yield from _paths(system)


def _card(index: int, labels: Labels, driver: str) -> Accelerator:
    generation, width = _pcie(words(labels.get("pcie clock level")))
    return Accelerator(
        vendor=AMD,
        index=index,
        product=_product(labels),
        uuid=words(labels.get("unique id")),
        bdf=bdf(labels.get("pci bus")),
        driver=driver,
        firmware=words(labels.get("vbios version")),
        memory_mib=_mebibytes(labels.get("vram total memory (b)")),
        memory_used_mib=_mebibytes(labels.get("vram total used memory (b)")),
        utilization_percent=real(labels.get("gpu use (%)")),
        temperature_c=real(
            _first(labels, "temperature (sensor junction) (c)", "temperature (sensor edge) (c)")
        ),
        memory_temperature_c=real(labels.get("temperature (sensor memory) (c)")),
        power_w=real(
            _first(
                labels,
                "current socket graphics package power (w)",
                "average graphics package power (w)",
            )
        ),
        power_limit_w=real(labels.get("max graphics package power (w)")),
        pcie_generation=generation,
        pcie_width=width,
        pcie_replays=count(labels.get("pcie replay count")),
        partition_mode="/".join(word for word in _partition(labels) if word),
    )


def _first(labels: Labels, *names: str) -> Any:
    return next((labels[name] for name in names if words(labels.get(name))), None)


def _product(labels: Labels) -> str:
    """The first name that is not a bare number of the PCI database."""
    for label in ("card series", "device name", "card model"):
        name = words(labels.get(label))
        if name and not name.startswith("0x"):
            return name
    return ""


def _mebibytes(value: object) -> float | None:
    size = real(value)
    return None if size is None else size / 2**20


def _pcie(text: str) -> tuple[int | None, int | None]:
    found = _PCIE.search(text)
    return (None, None) if not found else (GENERATIONS.get(float(found[1])), int(found[2]))


def _partition(labels: Labels) -> tuple[str, str]:
    return words(labels.get("compute partition")), words(labels.get("memory partition"))


def _paths(system: Labels) -> Iterator[PeerPath]:
    told: dict[tuple[int, int], dict[str, Any]] = {}
    for label, value in system.items():
        found = _BETWEEN.fullmatch(label)
        if found:
            pair = count(found[2]), count(found[3])
            if pair[0] is not None and pair[1] is not None:
                told.setdefault((pair[0], pair[1]), {})[found[1]] = value
    for (source, target), about in sorted(told.items()):
        yield PeerPath(
            AMD,
            source,
            target,
            words(about.get("link type")).lower(),
            count(about.get("hops")),
            count(about.get("weight")),
        )
