"""What iproute2's rdma and the show_gids script print about RDMA ports."""

import re
from collections import defaultdict
from collections.abc import Iterator

from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.fabric import RdmaGid, RdmaPort
from assay.probes.pasted import clean, count, documents, words
from assay.probes.rdma_words import lines, whole, word

_STATE = r"state (?:ACTIVE|DOWN|INIT|ARMED|ACTIVE_DEFER|NOP|INVALID)"
LINK = saved(
    "rdma-link",
    looks_like=r"^[ \t]*(?:link |\d+/\d+: )\S+/\d+:? [^\n]{0,99}?" + _STATE + r"\b.*$"
    r'|"ifname":\s*"[^"]+",\s*"port":\s*\d+,\s*(?:"[a-z_]+":[^{}]*?)?"state":[^{}]*"physical_state"',
)
STATISTIC = saved(
    "rdma-statistic",
    looks_like=r'"ifname":\s*"[^"]+",\s*"port":\s*\d+,\s*"\w+":\s*\d+(?:,\s*"\w+":\s*\d+)*'
    r"|^[ \t]*link \S+/\d+ (?!state|subnet)[a-z][a-z0-9_]* \d+ .*$",
)
SHOW_GIDS = saved(
    "show_gids",
    looks_like=r"^[ \t]*DEV\s+PORT\s+INDEX\s+GID\s+.*$(?:\s{0,4}^[-\s]+$)?|^n_gids_found=\d+",
)

_LINK_LINE = re.compile(r"^[ \t]*(?:link |\d+/\d+: )(\S+?)/(\d{1,3}):? (.*)$")
_GID_LINE = re.compile(
    r"^[ \t]*\|?\s*([A-Za-z]\S*)[\s|]+(\d{1,3})[\s|]+(\d{1,4})[\s|]+([0-9a-fA-F:]{3,}\S*)"
    r"(?:[\s|]+(\d+\.\d+\.\d+\.\d+))?(?:[\s|]+(v\d(?:\.\d)?))?(?:[\s|]+([^\s|]+))?\s*\|?\s?$"
)


def link(seen: Seen) -> Iterator[RdmaPort]:
    """Ports, from ``rdma link`` as text or JSON."""
    text = clean(seen.text(LINK))
    found = list(_link_json(text) if '"ifname"' in text else _link_text(text))
    yield from found
    if not found:
        raise Unread("rdma link printed no port")


def _link_text(text: str) -> Iterator[RdmaPort]:
    for line in lines(text):
        start = _LINK_LINE.match(line)
        if start is None or " state " not in f" {start.group(3)}":
            continue
        tokens = start.group(3).split()
        said = dict(zip(tokens[::2], tokens[1::2], strict=False))
        yield _port(start.group(1), int(start.group(2)), said)


def _link_json(text: str) -> Iterator[RdmaPort]:
    for row in _rows(text, "rdma link"):
        port = count(row.get("port"))
        name = words(row.get("ifname"))
        if name and port is not None and "state" in row:
            yield _port(name, port, {key: words(value) for key, value in row.items()})


def _port(device: str, port: int, said: dict[str, str]) -> RdmaPort:
    lid, sm_lid = whole(said.get("lid")), whole(said.get("sm_lid"))
    # only InfiniBand ports have a subnet; RoCE ports name their interface
    layer = "InfiniBand" if said.get("subnet_prefix") else "Ethernet" if said.get("netdev") else ""
    return RdmaPort(
        device,
        port,
        link_layer=layer,
        state=word(said.get("state")),
        physical_state=word(said.get("physical_state")),
        lid=lid,
        sm_lid=sm_lid,
        netdev=said.get("netdev", ""),
    )


def statistic(seen: Seen) -> Iterator[RdmaPort]:
    """Counters of ports, from ``rdma statistic`` as text or JSON."""
    text = clean(seen.text(STATISTIC))
    found = list(_statistic_json(text) if '"ifname"' in text else _statistic_text(text))
    yield from found
    if not found:
        raise Unread("rdma statistic printed no port")


def _statistic_json(text: str) -> Iterator[RdmaPort]:
    for row in _rows(text, "rdma statistic"):
        port, name = count(row.get("port")), words(row.get("ifname"))
        if not name or port is None:
            continue
        counters = {
            key: value
            for key, raw in row.items()
            if key not in ("ifname", "port", "ifindex") and (value := whole(str(raw))) is not None
        }
        yield RdmaPort(name, port, counters=tuple(counters.items()))


def _statistic_text(text: str) -> Iterator[RdmaPort]:
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    at: tuple[str, int] | None = None
    for line in lines(text):
        start = _LINK_LINE.match(line)
        if start:
            at = start.group(1), int(start.group(2))
        if at is not None:
            found[at] += (start.group(3) if start else line).split()
    for (device, port), tokens in found.items():
        pairs = zip(tokens[::2], tokens[1::2], strict=False)
        counters = tuple((name, int(value)) for name, value in pairs if _is_count(value))
        if counters:
            yield RdmaPort(device, port, counters=counters)


def _is_count(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,20}", text) is not None


def _rows(text: str, what: str) -> Iterator[dict[str, object]]:
    for document in documents(text, what):
        for row in document if isinstance(document, list) else [document]:
            if isinstance(row, dict):
                yield row


def gids(seen: Seen) -> Iterator[RdmaPort]:
    """GID tables of RoCE ports, from show_gids."""
    text = clean(seen.text(SHOW_GIDS))
    tables: dict[tuple[str, int], list[RdmaGid]] = defaultdict(list)
    for line in lines(text):
        row = _GID_LINE.match(line)
        if row is None or ":" not in row.group(4):
            continue
        device, port, index, gid, _, version, netdev = row.groups()
        kind = {"v1": "IB/RoCE v1", "v2": "RoCE v2"}.get(version or "", version or "")
        tables[device, int(port)].append(RdmaGid(int(index), gid.lower(), kind, netdev or ""))
    for (device, port), table in tables.items():
        netdev = next((gid.netdev for gid in table if gid.netdev), "")
        yield RdmaPort(device, port, gids=tuple(table), netdev=netdev)
    if not tables and "n_gids_found=0" not in text:
        raise Unread("show_gids printed no GID")
