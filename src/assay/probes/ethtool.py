"""What ethtool prints about an interface: settings, driver, counters."""

import re
from collections.abc import Iterator

from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.network import NetworkInterface, NicCounters
from assay.probes.pasted import bdf, clean
from assay.probes.rdma_words import lines

SETTINGS = saved("ethtool", looks_like=r"^Settings for \S+:\s?\n(?:\s+[A-Z][^\n]*\n?)+")
DRIVER = saved(
    "ethtool-i",
    looks_like=r"^driver: \S+\s?\nversion:.*\nfirmware-version:.*\n(?:[a-z-]+:.*\n?)*",
)
STATISTICS = saved(
    "ethtool-S",
    looks_like=r"^[ \t]*(?:NIC|Standard stats for \S+|\S+) ?statistics:\s?\n(?:\s+\S.*: \d+\s?\n)+"
    r"|^[ \t]*NIC statistics:.*$|^no stats available",
)

_COMMAND = re.compile(r"ethtool\s+(?:-\S+|--\S+)?\s*([A-Za-z][\w.@-]*)\s?$", re.MULTILINE)
_COUNTER = re.compile(r"^[ \t]+(\S.*?)\s*:\s*([0-9]{1,20})\s?$")


def _named(text: str) -> str:
    """The interface in the shell prompt above a pasted output."""
    found = _COMMAND.search(text)
    return found.group(1) if found else ""


def settings(seen: Seen) -> Iterator[NetworkInterface]:
    """Interfaces, from ``ethtool IFACE``."""
    blocks = re.split(r"^Settings for (\S+):\s?$", clean(seen.text(SETTINGS)), flags=re.MULTILINE)
    found = False
    for name, block in zip(blocks[1::2], blocks[2::2], strict=True):
        said: dict[str, str] = {}
        for line in lines(block):
            key, colon, value = line.strip().partition(":")
            if colon:
                said.setdefault(key.strip().lower(), value.strip())
        if not said.keys() & {"speed", "link detected", "duplex", "port", "auto-negotiation"}:
            continue  # "No data available", "Operation not permitted"
        found = True
        mbits = re.fullmatch(r"(\d{1,9})\s*Mb/s", said.get("speed", ""))
        yield NetworkInterface(
            name,
            kind="ethernet",
            carrier={"yes": True, "no": False}.get(_first(said.get("link detected", ""))),
            speed_mbits=int(mbits.group(1)) if mbits else None,
            duplex={"full": "full", "half": "half"}.get(said.get("duplex", "").lower(), ""),
        )
    if not found:
        raise Unread("ethtool printed no settings")


def _first(text: str) -> str:
    return (text.split() or [""])[0].lower()  # "no (No cable)" is no


def driver(seen: Seen) -> Iterator[NetworkInterface]:
    """Driver and firmware, from ``ethtool -i IFACE``."""
    text = clean(seen.text(DRIVER))
    said = dict(re.findall(r"^([a-z-]+):[ \t]*(.*?)[ \t]*$", text, re.MULTILINE))
    if not said.get("driver"):
        raise Unread("ethtool -i printed no driver")
    yield NetworkInterface(
        _named(text),
        driver=said["driver"],
        firmware=said.get("firmware-version", "").replace("N/A", ""),
        bdf=bdf(said.get("bus-info", "")),
    )


def statistics(seen: Seen) -> Iterator[NicCounters]:
    """Counters, from ``ethtool -S IFACE``; several outputs may stand in one file."""
    name, counters = "", dict[str, int]()
    found = False
    for line in lines(clean(seen.text(STATISTICS))):
        if heading := re.match(r"\s*(?:NIC|Standard stats for (\S+?)|(\S+)) ?statistics:", line):
            if counters:
                found = True
                yield NicCounters(name, tuple(counters.items()))
                name = ""
            counters = {}
            name = heading.group(1) or heading.group(2) or name
        elif command := _COMMAND.search(line):
            if counters:
                found = True
                yield NicCounters(name, tuple(counters.items()))
                counters = {}
            name = command.group(1)
        elif row := _COUNTER.match(line):
            counters[row.group(1)] = int(row.group(2))
    if counters:
        found = True
        yield NicCounters(name, tuple(counters.items()))
    if not found:
        raise Unread("ethtool -S printed no counter")
