"""What perfquery and ibqueryerrors print: counters of ports read over the subnet."""

import re
from collections.abc import Iterator

from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.fabric import FabricPortCounters
from assay.probes.pasted import clean
from assay.probes.rdma_words import counter_name, lines, whole

PERFQUERY = saved(
    "perfquery",
    looks_like=r"^# Port (?:extended )?counters: .*$"
    r"|^[ \t]*(?:SymbolErrorCounter|PortXmitData|PortRcvData):\.+\d+\s?$",
)
IBQUERYERRORS = saved(
    "ibqueryerrors",
    looks_like=r"^Errors for (?:0x[0-9a-f]+ )?\".*$"
    r"|^[ \t]*GUID 0x[0-9a-f]+ port \S+:(?: \[\w+ == \d+.*?\])+.*$"
    r"|^## Summary: \d+ nodes checked, \d+ bad nodes found.*$",
)

_HEAD = re.compile(
    r"^#\s*Port (?:extended )?counters:\s*(?:Lid (\d{1,6})|DR path[^;]*;.*?)?"
    r"(?:.*?\bport (\d{1,4}))?",
    re.IGNORECASE,
)
_ROW = re.compile(r"^[ \t]*([A-Za-z][A-Za-z0-9_]*):\.*\s*(\S+)\s?$")
_SELECTORS = frozenset({"portselect", "counterselect", "counterselect2"})
# infiniband-diags print this port number for "all ports"
_ALL = 255


def perfquery(seen: Seen) -> Iterator[FabricPortCounters]:
    """Counters, from perfquery with or without -x; several outputs may stand in one file."""
    lid: int | None = None
    port: int | None = None
    counters: dict[str, int] = {}
    found = False
    for line in lines(clean(seen.text(PERFQUERY))):
        if (head := _HEAD.match(line)) is not None:
            if counters:
                found = True
                yield _counted(lid, port, counters)
            lid, port, counters = whole(head.group(1)), whole(head.group(2)), {}
        elif (row := _ROW.match(line)) is not None:
            value = whole(row.group(2))
            if row.group(1).lower() == "portselect":
                port = value
            elif value is not None and row.group(1).lower() not in _SELECTORS:
                counters[counter_name(row.group(1))] = value
    if counters:
        found = True
        yield _counted(lid, port, counters)
    if not found:
        raise Unread("perfquery printed no counter")


def _counted(lid: int | None, port: int | None, counters: dict[str, int]) -> FabricPortCounters:
    return FabricPortCounters("", None if port == _ALL else port, tuple(counters.items()), lid=lid)


_NODE = re.compile(r"^[ \t]*Errors for (?:(0x[0-9a-fA-F]{1,16}) )?\"(.*?)\"")
_PORT = re.compile(r"^[ \t]*GUID (0x[0-9a-fA-F]{1,16}) port (ALL|\d{1,4}):(.*)$")
_ERROR = re.compile(r"\[(\w+) == (\d{1,20})(?:[^\]]*)\]")
_SUMMARY = re.compile(r"^## Summary: (\d{1,9}) nodes checked, (\d{1,9}) bad nodes found")


def ibqueryerrors(seen: Seen) -> Iterator[FabricPortCounters]:
    """Ports with errors, from ibqueryerrors; a port without errors is not printed."""
    name, summary = "", None
    found = False
    for line in lines(clean(seen.text(IBQUERYERRORS))):
        if (node := _NODE.match(line)) is not None:
            name = node.group(2)
        elif (row := _PORT.match(line)) is not None:
            counters = tuple((counter_name(n), int(v)) for n, v in _ERROR.findall(row.group(3)))
            guid = "0x" + row.group(1)[2:].lower().rjust(16, "0")
            port = None if row.group(2) == "ALL" else int(row.group(2))
            if counters:
                found = True
                yield FabricPortCounters(guid, port, counters, name)
        elif (tally := _SUMMARY.match(line)) is not None:
            summary = int(tally.group(2))
    if not found and summary != 0:
        raise Unread("ibqueryerrors printed no port")
