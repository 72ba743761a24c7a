"""What ibnetdiscover, ibnodes and iblinkinfo print about the subnet."""

import re
from collections.abc import Iterator

from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.fabric import FabricLink, FabricNode
from assay.probes.pasted import clean
from assay.probes.rdma_words import lane_speed, lines, nominal, word

# One end of a cable as ``ibnetdiscover -p`` prints it.
_PAIR_LINE = (
    r"^[ \t]*(CA|SW|RT)\s+(\d{1,6})\s+(\d{1,4})\s+0x([0-9a-fA-F]{1,16})\s+(\d{1,2})x\s+(\S+)"
)
IBNETDISCOVER = saved(
    "ibnetdiscover",
    looks_like=r"^[ \t]*(?:Switch|Ca|Rt)\s+\d+\s+\"[SHR]-[0-9a-fA-F]+\"\s+#.*$"
    r"|" + _PAIR_LINE + r".*$"
    r"|^vendid=0x[0-9a-f]+\s?\ndevid=0x[0-9a-f]+\s?\nsysimgguid=.*\n(?:switch|ca|rt)guid=.*$",
)
IBNODES = saved(
    "ibnodes", looks_like=r"^[ \t]*(?:Ca|Switch|Router)\s*: 0x[0-9a-fA-F]+ ports \d+ \".*$"
)
IBLINKINFO = saved(
    "iblinkinfo",
    looks_like=r"^[^\n\[]{0,120}\[[\d ]{0,8}\] ==\([^\n)]{0,120}\)==>[^\n]*$"
    r"|^(?:CA|Switch|Router): (?:0x[0-9a-f]+ )?\S.*:\s?$",
)

_KINDS = {"switch": "switch", "ca": "ca", "rt": "router", "router": "router"}
_NODE = re.compile(
    r"^[ \t]*(Switch|Ca|Rt)\s+(\d{1,4})\s+\"[SHR]-([0-9a-fA-F]{1,16})\"\s*#\s*\"(.*?)\"(.*)$"
)
_ID = re.compile(r"^[ \t]*(vendid|devid)=(0x[0-9a-fA-F]{1,8})\s?$")
_LINK = re.compile(
    r"^[ \t]*\[(\d{1,4})\](?:\[[^\]]*\])?(?:\([0-9a-fA-F]+\))?\s+"
    r"\"[SHR]-([0-9a-fA-F]{1,16})\"\[(\d{1,4})\]"
    r"(?:\[[^\]]*\])?(?:\([0-9a-fA-F]+\))?\s*(?:#\s*(.*))?$"
)
_IBNODE = re.compile(
    r"^[ \t]*(Ca|Switch|Router)\s*:\s*0x([0-9a-fA-F]{1,16})\s+ports\s+(\d{1,4})\s+\"(.*?)\"(.*)$"
)


def _guid(text: str) -> str:
    return "0x" + text.lower().removeprefix("0x").rjust(16, "0")


def _lid(text: str) -> int | None:
    found = re.search(r"\blid (\d{1,6})\b", text)
    return int(found.group(1)) if found else None


def ibnetdiscover(seen: Seen) -> Iterator[FabricNode | FabricLink]:
    """Every node with its cables, as ibnetdiscover lists them."""
    ids: dict[str, str] = {}
    node: FabricNode | None = None
    text = clean(seen.text(IBNETDISCOVER))
    if _PAIR.search(text):
        yield from _pairs(text)
        return
    for line in lines(text):
        if (found := _ID.match(line)) is not None:
            ids[found.group(1)] = found.group(2).lower()
        elif (found := _NODE.match(line)) is not None:
            kind, ports, guid, name, rest = found.groups()
            node = FabricNode(
                _KINDS[kind.lower()],
                _guid(guid),
                name,
                int(ports),
                _lid(rest),
                ids.get("devid", ""),
                ids.get("vendid", ""),
            )
            ids = {}
            yield node
        elif node is not None and (found := _LINK.match(line)) is not None:
            yield _link(node, found)
    if node is None:
        raise Unread("ibnetdiscover printed no node")


def _link(node: FabricNode, found: re.Match[str]) -> FabricLink:
    port, peer, peer_port, remark = found.groups()
    before, _, after = (remark or "").partition('"')
    name, _, after = after.partition('"')
    speed = re.search(r"\b(\d{1,2})x([A-Z]{3}\d*)\b", after or remark or "")
    width = int(speed.group(1)) if speed else None
    rate = speed.group(2) if speed else ""
    return FabricLink(
        node.guid,
        node.name,
        int(port),
        # an adapter's own LID stands before the peer's name, a switch's in its heading
        lid=_lid(before) if node.kind == "ca" else node.lid,
        width=width,
        speed=rate,
        rate=nominal(width, rate),
        state="active" if speed else "",
        peer=_guid(peer),
        peer_name=name,
        peer_port=int(peer_port),
        peer_lid=_lid(after),
    )


_PAIR = re.compile(
    _PAIR_LINE + r"(?:\s+-\s+(?:CA|SW|RT)\s+(\d{1,6})\s+(\d{1,4})\s+0x([0-9a-fA-F]{1,16})"
    r"\s+\(\s*'(.*?)'\s+-\s+'(.*?)'\s*\)|\s+'(.*?)')",
    re.MULTILINE,
)
_PAIR_KINDS = {"CA": "ca", "SW": "switch", "RT": "router"}


def _pairs(text: str) -> Iterator[FabricNode | FabricLink]:
    """The form of ``ibnetdiscover -p``: every port with its peer, one a line."""
    known: set[str] = set()
    for row in _PAIR.finditer(text):
        kind, lid, port, guid, lanes, speed, peer_lid, peer_port, peer, name, other, alone = (
            row.groups()
        )
        own = _guid(guid)
        if own not in known:
            known.add(own)
            yield FabricNode(_PAIR_KINDS[kind], own, name or alone or "", lid=int(lid))
        width, rate = int(lanes), lane_speed(speed)
        yield FabricLink(
            own,
            name or alone or "",
            int(port),
            lid=int(lid),
            width=width,
            speed=rate,
            rate=nominal(width, rate),
            state="active" if peer else "",
            peer=_guid(peer) if peer else "",
            peer_name=other or "",
            peer_port=int(peer_port) if peer_port else None,
            peer_lid=int(peer_lid) if peer_lid else None,
        )


def ibnodes(seen: Seen) -> Iterator[FabricNode]:
    """Nodes, from ibnodes, ibhosts and ibswitches."""
    found = False
    for line in lines(clean(seen.text(IBNODES))):
        if (row := _IBNODE.match(line)) is not None:
            found = True
            kind, guid, ports, name, rest = row.groups()
            yield FabricNode(_KINDS[kind.lower()], _guid(guid), name, int(ports), _lid(rest))
    if not found:
        raise Unread("no node is in it")


_HEADING = re.compile(r"^[ \t]*(CA|Switch|Router):\s+(?:(0x[0-9a-fA-F]{1,16})\s+)?(.*?):\s?$")
_ROW = re.compile(
    r"^[ \t]*(?:(0x[0-9a-fA-F]{1,16})\s+)?(?:\"\s*(.*?)\s*\"\s+)?(\d{1,6})?\s+(\d{1,4})\[[\d ]*\]"
    r" ==\((.*?)\)==>\s*(?:(0x[0-9a-fA-F]{1,16})\s+)?(?:(\d{1,6})\s+)?(?:(\d{1,4}))?\[[\d ]*\]"
    r"\s*\"(.*?)\"\s*(?:\((.*)\))?"
)
_STATE = re.compile(
    r"^[ \t]*(?:(\d{1,2})X\s+(\S+(?:\s*Gbps)?|\?+)\s+)?([A-Za-z?]*)\s*/\s*([A-Za-z?]*)\s?$"
)


def iblinkinfo(seen: Seen) -> Iterator[FabricLink]:
    """Cables, from iblinkinfo with or without -l."""
    guid, name, found = "", "", False
    for line in lines(clean(seen.text(IBLINKINFO))):
        if (heading := _HEADING.match(line)) is not None:
            guid, name = heading.group(2) or "", heading.group(3).strip()
        elif (row := _ROW.match(line)) is not None:
            found = True
            yield _row(row, guid, name)
    if not found:
        raise Unread("iblinkinfo printed no link")


def _row(row: re.Match[str], guid: str, name: str) -> FabricLink:
    own, own_name, lid, port, state, peer, peer_lid, peer_port, peer_name, remark = row.groups()
    parts = _STATE.match(state)
    width = int(parts.group(1)) if parts and parts.group(1) else None
    speed = lane_speed(parts.group(2)) if parts else ""
    return FabricLink(
        _guid(own or guid) if own or guid else "",
        own_name or name,
        int(port),
        lid=int(lid) if lid else None,
        width=width,
        speed=speed,
        rate=nominal(width, speed),
        state=word(parts.group(3)) if parts else "",
        physical_state=word(parts.group(4)) if parts else "",
        peer=_guid(peer) if peer else "",
        peer_name=peer_name,
        peer_port=int(peer_port) if peer_port else None,
        peer_lid=int(peer_lid) if peer_lid else None,
        remark=(remark or "").strip(),
    )
