"""The services of NVLink fabrics: fabric manager's log, the members of an IMEX domain."""

import re
from collections.abc import Iterator
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import VendorToolError
from assay.model.facts.nvidia import FabricEvent, FabricLog, ImexDomain, ImexNode
from assay.probes.nvidia_words import errors
from assay.probes.pasted import clean, documents, tried, words

LOG = saved(
    "fabricmanager-log",
    looks_like=r"^\[[A-Z][a-z]{2} \d{1,2} \d{4} \d\d:\d\d:\d\d\] \[(?:INFO|WARNING|ERROR|CRITICAL"
    r"|FATAL|DEBUG|NOTICE)\] \[tid \d+\] [^\n]*(?:\n[^\n]*){0,3}",
)
IMEX = saved(
    "nvidia-imex-ctl",
    looks_like=r"\"nodes\":\s*\{\s*(?:\"\d+\":\s*\{[^{}]*)?\"(?:status|host|connections)\""
    r"[\s\S]{0,400}",
)

_LINE = re.compile(
    r"\[([A-Z][a-z]{2} \d{1,2} \d{4} \d\d:\d\d:\d\d)\] \[([A-Z]+)\] (?:\[tid \d+\] ?)?(.*)"
)
_QUIET = {"INFO", "DEBUG", "NOTICE", "VERBOSE"}
MOST = 200  # distinct complaints kept of one log


@probe("nvidia.fabricmanager", reads=[LOG])
def log(seen: Seen) -> Iterator[FabricLog | FabricEvent]:
    """What fabric manager complained about in its log."""
    if tried(seen, LOG) is None:
        return
    stamps: list[str] = []
    found: dict[tuple[str, str], list[str]] = {}
    for line in clean(seen.text(LOG)).split("\n"):
        if entry := _LINE.match(line.strip()):
            stamp, severity, message = entry.groups()
            stamps.append(stamp)
            if severity not in _QUIET:
                found.setdefault((severity.lower(), message.strip()[:300]), []).append(stamp)
    if not stamps:
        raise Unread("no line of fabric manager's log is there")
    yield FabricLog("fabricmanager", len(stamps), stamps[0], stamps[-1])
    for (severity, message), when in list(found.items())[:MOST]:
        yield FabricEvent("fabricmanager", severity, message, when[0], when[-1], len(when))
    if len(found) > MOST:
        raise Unread(f"fabric manager's log has {len(found)} kinds of complaints")


@probe("nvidia.imex", reads=[IMEX])
def imex(seen: Seen) -> Iterator[ImexDomain | ImexNode | VendorToolError]:
    """The IMEX domain and its members, from `nvidia-imex-ctl -N -j`."""
    if tried(seen, IMEX) is None:
        return
    text = clean(seen.text(IMEX))
    found = 0
    for answer in documents(text, "`nvidia-imex-ctl -N -j`"):
        nodes = _nodes(answer)
        if nodes:
            found += 1
            ready = sum(node.state == "READY" for node in nodes)
            yield ImexDomain(words(answer.get("status")), len(nodes), ready)
            yield from nodes
    if not found:
        yield from errors(text, tool="nvidia-imex-ctl")
        raise Unread("`nvidia-imex-ctl -N -j` lists no member")


def _nodes(answer: Any) -> list[ImexNode]:
    members = answer.get("nodes") if isinstance(answer, dict) else None
    listed = list(members.values()) if isinstance(members, dict) else members
    return [
        ImexNode(
            words(node.get("host")),
            words(node.get("status")),
            words(node.get("version")),
            words(node.get("hostName")),
            tuple(_connections(node.get("connections"))),
        )
        for node in (listed if isinstance(listed, list) else ())
        if isinstance(node, dict)
    ]


def _connections(found: Any) -> Iterator[tuple[str, str]]:
    for key, other in found.items() if isinstance(found, dict) else ():
        if isinstance(other, dict):
            yield words(other.get("host")) or str(key), words(other.get("status"))
