"""What a saved `lscpu` says (its text, or its JSON)."""

import json
import re
from collections.abc import Iterator

from assay.kit.quantity import number
from assay.kit.reading import saved
from assay.kit.seen import Unread
from assay.model.facts.cpu import Processors
from assay.probes.kernel_values import plain_lines, whole

LSCPU = saved(
    "lscpu",
    looks_like=r"^(?:Architecture|CPU op-mode\(s\)|Thread\(s\) per core|On-line CPU\(s\) list"
    r"|Core\(s\) per (?:socket|cluster)|Vulnerability [A-Z][\w ]+):\s+\S[^\n]*$"
    r"|\"lscpu\"\s*:\s*\[\s*\{\s*\"field\"\s*:\s*\"[^\"]*\"",
)
_LINE = re.compile(r"\s*([A-Z][^:]*?)\s*:\s*(.*)")


def processors(text: str) -> Processors:
    """The processors; Unread when the text is no lscpu after all."""
    said = dict(reversed(list(pairs(text))))  # the first mention counts
    model = said.get("Model name", "")
    cpus = whole(said.get("CPU(s)"))
    if cpus is None and not model:
        raise Unread("lscpu shows neither a model name nor a number of CPUs")
    flags = said.get("Flags")
    hypervisor = bool(said.get("Hypervisor vendor")) or "hypervisor" in (flags or "").split()
    return Processors(
        model=model,
        vendor=said.get("Vendor ID", ""),
        architecture=said.get("Architecture", "") or _architecture(said),
        cpus=cpus,
        sockets=whole(said.get("Socket(s)")) or whole(said.get("Cluster(s)")),
        cores_per_socket=whole(said.get("Core(s) per socket"))
        or whole(said.get("Core(s) per cluster")),
        threads_per_core=whole(said.get("Thread(s) per core")),
        numa_nodes=whole(said.get("NUMA node(s)")),
        microcode=said.get("Microcode version", ""),
        hypervisor=hypervisor if hypervisor or flags is not None else None,
        max_mhz=number(said.get("CPU max MHz")),
    )


def _architecture(said: dict[str, str]) -> str:
    """Old and cut outputs leave the architecture out; the op-modes and vendor tell it."""
    if said.get("Vendor ID") in ("GenuineIntel", "AuthenticAMD", "HygonGenuine"):
        return "x86_64" if "64-bit" in said.get("CPU op-mode(s)", "") else ""
    return ""


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Every "Field: value" of lscpu, in order."""
    if text.lstrip().startswith("{"):
        yield from _json_pairs(text)
        return
    for line in plain_lines(text):
        found = _LINE.fullmatch(line)
        if found and not line.lstrip().startswith("#"):
            yield found.group(1), found.group(2)


def _json_pairs(text: str) -> Iterator[tuple[str, str]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unread(f"lscpu is not whole JSON: {error}") from error
    rows = list(found.get("lscpu") or []) if isinstance(found, dict) else []
    while rows:
        row = rows.pop(0)
        if not isinstance(row, dict):
            continue
        field, data = row.get("field"), row.get("data")
        if isinstance(field, str) and isinstance(data, str):
            yield field.rstrip(": "), data
        children = row.get("children")
        rows[:0] = children if isinstance(children, list) else []
