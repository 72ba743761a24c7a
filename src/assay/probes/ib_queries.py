"""What smpquery, saquery and sminfo print: states, keys, partitions, managers."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.fabric import (
    FabricNode,
    FabricPort,
    MulticastGroup,
    PartitionTable,
    SubnetManager,
)
from assay.probes.pasted import clean
from assay.probes.rdma_words import lane_speed, lanes, lines, nominal, pkey, whole, word

PORTINFO = saved(
    "smpquery-portinfo",
    looks_like=r"^# Port info: .*$|^[ \t]*PortInfoRecord dump:|^[ \t]*Mkey:\.+\S.*$",
)
PKEYS = saved(
    "smpquery-pkeys",
    looks_like=r"^[ \t]*\d+: (?:0x[0-9a-f]{4} ){7}0x[0-9a-f]{4}\s?$"
    r"|^\d+ pkeys capacity for this port",
)
PKTR = saved("saquery-pktr", looks_like=r"^[ \t]*PKeyTableRecord dump:\s?$(?:\s*LID\.+\d+)?")
GROUPS = saved(
    "saquery-g", looks_like=r"^[ \t]*MCMemberRecord (?:group )?dump:\s?$(?:\s*MGID\.+\S+)?"
)
NODES = saved("saquery-nodes", looks_like=r"^[ \t]*NodeRecord dump:\s?$|^[ \t]*# Node info: .*$")
SMINFO = saved("sminfo", looks_like=r"^[ \t]*sminfo: sm lid \d+ sm guid 0x[0-9a-f]+.*$")

_ROW = re.compile(r"^[ \t]*([A-Za-z][A-Za-z0-9_]*)(?::\.*|\.{2,})\s*(\S.*)?$")


def _rows(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines(text):
        if (row := _ROW.match(line)) is not None:
            found.setdefault(row.group(1).lower(), row.group(2) or "")
    return found


def _blocks(text: str, heading: str) -> Iterator[tuple[str, str]]:
    """Each heading line with the lines below it; text without one is a block of its own."""
    parts = re.split(rf"^([ \t]*{heading}.*)$", text, flags=re.MULTILINE)
    if len(parts) == 1:
        yield "", text
    yield from zip(parts[1::2], parts[2::2], strict=True)


def portinfo(seen: Seen) -> Iterator[FabricPort]:
    """Ports, from ``smpquery portinfo`` or ``saquery PortInfoRecord``."""
    found = False
    heading = r"(?:# Port info:|PortInfoRecord dump:)"
    for title, block in _blocks(clean(seen.text(PORTINFO)), heading):
        said = _rows(block)
        if "linkstate" not in said and "mkey" not in said:
            continue
        found = True
        asked = re.search(r"Lid (\d{1,6})", title)
        port = re.search(r"\bport (\d{1,4})", title)
        speed = lane_speed(said.get("linkspeedextactive")) or lane_speed(
            said.get("linkspeedactive")
        )
        width = lanes(said.get("linkwidthactive"))
        yield FabricPort(
            whole(asked.group(1) if asked else said.get("endportlid") or said.get("lid")),
            whole(port.group(1) if port else said.get("portnum")),
            state=word(said.get("linkstate")),
            physical_state=word(said.get("physlinkstate")),
            width=width,
            rate=nominal(width, speed),
            m_key=_shown(said.get("mkey", "")),
            protect_bits=whole(said.get("protectbits")),
            m_key_violations=whole(said.get("mkeyviolations")),
            p_key_violations=whole(said.get("pkeyviolations")),
            sm_lid=whole(said.get("smlid")),
        )
    if not found:
        raise Unread("no port is in it")


def _shown(key: str) -> str:
    return key.lower() if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", key) else ""


def pkeys(seen: Seen) -> Iterator[PartitionTable]:
    """P_Key table of one port, from ``smpquery pkeys``; LID and port stand in the prompt."""
    text = clean(seen.text(PKEYS))
    asked = re.search(r"smpquery\s+(?:-\S+\s+)*pkeys\s+(\d{1,6})(?:\s+(\d{1,4}))?", text)
    direct = re.search(r"smpquery\s+(?:\S+\s+)*?-D\b", text)
    rows = re.findall(r"^[ \t]*\d{1,5}:((?:\s+0x[0-9a-fA-F]{1,4})+)\s?$", text, re.MULTILINE)
    if not rows:
        raise Unread("no P_Key table is in it")
    yield PartitionTable(
        int(asked.group(1)) if asked and not direct else None,
        int(asked.group(2)) if asked and asked.group(2) else None,
        _table(" ".join(rows)),
    )


def _table(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for key in map(pkey, text.split()) if key))


def pkey_records(seen: Seen) -> Iterator[PartitionTable]:
    """P_Key tables of the subnet, from ``saquery PKTR`` with the SA's key."""
    found = False
    for _, block in _blocks(clean(seen.text(PKTR)), "PKeyTableRecord dump:"):
        said = _rows(block)
        rows = re.findall(r"^[ \t]*((?:0x[0-9a-fA-F]{1,4}\s*)+)$", block, re.MULTILINE)
        if rows and "lid" in said:
            found = True
            yield PartitionTable(
                whole(said["lid"]), whole(said.get("port")), _table(" ".join(rows)),
                whole(said.get("block")),
            )  # fmt: skip
    if not found:
        raise Unread("no P_Key table is in it")


def groups(seen: Seen) -> Iterator[MulticastGroup]:
    """Multicast groups and their partitions, from ``saquery -g``."""
    found = False
    for _, block in _blocks(clean(seen.text(GROUPS)), r"MCMemberRecord (?:group )?dump:"):
        said = _rows(block)
        if "mgid" in said:
            found = True
            yield MulticastGroup(
                said["mgid"], pkey(said.get("pkey", "")), said.get("mlid", "").lower()
            )
    if not found:
        raise Unread("no multicast group is in it")


def nodes(seen: Seen) -> Iterator[FabricNode]:
    """Nodes, from ``saquery`` or ``smpquery nodeinfo``."""
    found = False
    for _, block in _blocks(clean(seen.text(NODES)), r"(?:NodeRecord dump:|# Node info:)"):
        said = _rows(block)
        guid = said.get("node_guid") or said.get("guid", "")
        if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", guid):
            found = True
            yield _node(said, "0x" + guid[2:].lower().rjust(16, "0"))
    if not found:
        raise Unread("no node is in it")


def _node(said: Mapping[str, str], guid: str) -> FabricNode:
    kind = (said.get("node_type") or said.get("nodetype", "")).lower()
    names = {"channel adapter": "ca", "ca": "ca", "switch": "switch", "router": "router"}
    return FabricNode(
        names.get(kind, kind),
        guid,
        said.get("nodedescription", ""),
        whole(said.get("num_ports") or said.get("numports")),
        whole(said.get("lid")),
        (said.get("device_id") or said.get("devid", "")).lower(),
        (said.get("vendor_id") or said.get("vendorid", "")).lower(),
    )


_SM = re.compile(
    r"sminfo: sm lid (\d{1,6}) sm guid (0x[0-9a-fA-F]{1,16})"
    r"(?:, activity count (\d{1,12}))?(?: priority (\d{1,3}))?(?: state \d+ SMINFO_(\w+))?"
)


def sminfo(seen: Seen) -> Iterator[SubnetManager]:
    """The subnet manager that answers, from sminfo."""
    found = False
    for lid, guid, activity, priority, state in _SM.findall(clean(seen.text(SMINFO))):
        found = True
        yield SubnetManager(
            int(lid),
            "0x" + guid[2:].lower().rjust(16, "0"),
            whole(priority),
            {"notact": "notactive", "discover": "discovering"}.get(state.lower(), state.lower()),
            whole(activity),
        )
    if not found:
        raise Unread("sminfo named no subnet manager")
