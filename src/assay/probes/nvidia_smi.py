"""NVIDIA GPUs as ``nvidia-smi -q -x`` reports them: the XML of every driver since 450."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from assay.kit.probe import probe
from assay.kit.reading import command
from assay.kit.seen import Seen, Unread
from assay.kit.xml import document
from assay.model.facts.accelerator import VendorToolError
from assay.probes.nvidia_lost import PLACE, Found, all_of
from assay.probes.nvidia_record import Record
from assay.probes.nvidia_words import bare, cut_out, errors
from assay.probes.pasted import clean, count, tried

XML = command(
    "nvidia-smi",
    "-q",
    "-x",
    name="nvidia-smi.xml",
    deadline=20.0,
    cap=16 << 20,
    looks_like=r"<nvidia_smi_log>[\s\S]{0,400}?(?:<gpu id=[^>]*>\s*<product_name>[^\n]*|\Z)"
    r"|<!DOCTYPE nvidia_smi_log[^\n]*",
)

_PROLOGUE = re.compile(r"<\?xml[^>]*\?>|<!DOCTYPE[^>]*>")
_ONE = re.compile(r"<(gpu|error_string)[ >]")
_DRIVER = re.compile(r"<driver_version>([^<]*)</driver_version>")


@probe("nvidia.smi", reads=[XML])
def gpus(seen: Seen) -> Iterator[Found]:
    """NVIDIA GPUs, their MIG devices and processes, and what nvidia-smi complained about."""
    if tried(seen, XML) is None:
        return
    capture = seen.answered(XML, exits=tuple(range(256)))
    text = clean(capture.data.decode("utf-8", "replace"))
    parts, outside = cut_out(text, "<nvidia_smi_log>", "</nvidia_smi_log>")
    outside = _PROLOGUE.sub("", outside) + "\n" + clean(capture.stderr)
    whole = [document(part, "`nvidia-smi -q -x`") for part in parts]
    records = [record for root in whole for record in _of_root(root)]
    cut = "<nvidia_smi_log" in outside
    if cut:
        records += _salvaged(outside)
        outside = ""
    spoken = "\n".join(record.lost for record in records)
    complaints = list(errors(f"{spoken}\n{outside}", capture.exit_code))
    if capture.exit_code and not complaints and records:
        message = f"nvidia-smi exited with {capture.exit_code}"
        complaints = [VendorToolError("nvidia", "nvidia-smi", "other", message, capture.exit_code)]
    yield from complaints
    yield from all_of(records, complaints)
    if cut:
        raise Unread("`nvidia-smi -q -x` is cut short")
    _complete(whole, complaints)
    if not records and any(c.kind != "no-devices" for c in complaints):
        raise Unread(complaints[0].message)
    if not records and not complaints and not whole:
        seen.text(XML)
        raise Unread("`nvidia-smi -q -x` printed no XML")


def _of_root(root: ElementTree.Element) -> Iterator[Record]:
    """GPUs in order. One that does not even tell its address is a sentence between the others."""
    driver = root.findtext("kmd_version") or root.findtext("driver_version") or ""
    counted, shown = count(root.findtext("attached_gpus")), len(root.findall("gpu"))
    place = 0
    for child in root:
        if child.tag == "gpu":
            yield _of_gpu(child, driver)
        elif child.tag == "error_string" and (counted is None or counted > shown):
            yield _lost(child.text, place)
        else:
            continue
        place += 1


def _lost(sentence: str | None, place: int) -> Record:
    said = " ".join((sentence or "").split())[:300] or "an error without words"
    return Record(values={PLACE: str(place)}, lost=said)


def _of_gpu(gpu: ElementTree.Element, driver: str) -> Record:
    record = Record(driver.strip(), {"id": gpu.get("id") or ""})
    for child in gpu:
        if child.tag == "mig_devices":
            record.migs = [_flat(one) for one in child.findall("mig_device")]
        elif child.tag == "processes":
            listed = child.findall("process_info")
            if listed or bare(child.text).lower() in ("", "none"):
                record.processes = [_flat(one) for one in listed]
        elif child.tag not in ("supported_clocks", "accounted_processes"):
            record.values.update(_flat(child, child.tag.lower()))
    return record


def _flat(element: ElementTree.Element, path: str = "") -> dict[str, str]:
    """Every value under *element* by its path."""
    values: dict[str, str] = {}
    waiting = [(element, path)]
    while waiting:
        parent, at = waiting.pop()
        children = list(parent)
        if not children:
            values[at] = (parent.text or "").strip()
        for child in children:
            tag = child.tag.lower()
            waiting.append((child, f"{at}/{tag}" if at else tag))
    return values


def _salvaged(text: str) -> Iterator[Record]:
    """The GPUs that are whole in an answer that is cut."""
    driver = _DRIVER.search(text)
    place = at = 0
    while first := _ONE.search(text, at):
        end = f"</{first.group(1)}>"
        last = text.find(end, first.end())
        if last < 0:
            return
        at = last + len(end)
        part = document(text[first.start() : at], "`nvidia-smi -q -x`")
        if part.tag == "gpu":
            yield _of_gpu(part, driver.group(1) if driver else "")
        else:
            yield _lost(part.text, place)
        place += 1


def _complete(whole: list[ElementTree.Element], complaints: list[VendorToolError]) -> None:
    """Unread when the tool counts more GPUs than it shows."""
    gone = sum(c.kind == "device-lost" for c in complaints)
    for root in whole:
        counted = count(root.findtext("attached_gpus"))
        shown = len(root.findall("gpu"))
        shown += max(gone, sum(bool(record.lost) for record in _of_root(root)))
        if counted is not None and counted > shown:
            raise Unread(f"nvidia-smi counts {counted} GPUs but describes {shown}")
