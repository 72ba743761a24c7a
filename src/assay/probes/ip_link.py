"""What ``ip link`` prints about interfaces, as text or as JSON."""

import re
from collections.abc import Iterator
from itertools import pairwise

from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.network import NetworkInterface
from assay.probes.pasted import clean, count, documents, words
from assay.probes.rdma_words import lines

IP_LINK = saved(
    "ip-link",
    looks_like=r"^[ \t]*\d+: [^\s:]+: <[A-Z_,0-9-]*> mtu \d+ .*$(?:\n[ \t]+link/.*$)?"
    r'|"ifindex":\s*\d+,(?:\s*"link":\s*\S+,)?\s*"ifname":[^{}]*"mtu":',
)

_HEAD = re.compile(r"^[ \t]*\d+: ([^\s:@]+)(?:@\S+)?: <([A-Z_,0-9-]*)> mtu (\d{1,9})\b(.*)$")
_KINDS = {"ether": "ethernet", "infiniband": "infiniband", "loopback": "loopback"}
# The second line of each pair that ``ip -s`` prints, by the words of the first.
_HEADINGS = {
    "bytes": "bytes", "packets": "packets", "errors": "errors", "dropped": "dropped",
    "overrun": "over_errors", "missed": "missed_errors", "carrier": "carrier_errors",
    "mcast": "multicast", "collsns": "collisions",
}  # fmt: skip


def parse(seen: Seen) -> Iterator[NetworkInterface]:
    """Interfaces, from ``ip link`` with or without -s and -j."""
    text = clean(seen.text(IP_LINK))
    found = list(_json(text) if '"ifname"' in text else _text(text))
    yield from found
    if not found:
        raise Unread("ip link printed no interface")


def _json(text: str) -> Iterator[NetworkInterface]:
    for document in documents(text, "ip link"):
        for row in document if isinstance(document, list) else [document]:
            if not isinstance(row, dict) or not words(row.get("ifname")):
                continue
            flags = row.get("flags")
            known = [str(flag) for flag in flags] if isinstance(flags, list) else None
            counters = _stats(row.get("stats64") or row.get("stats"))
            yield _interface(
                words(row["ifname"]),
                known,
                count(row.get("mtu")),
                words(row.get("operstate")),
                words(row.get("link_type")),
                words(row.get("master")),
                counters,
            )


def _stats(found: object) -> tuple[tuple[str, int], ...] | None:
    if not isinstance(found, dict):
        return None
    counters = []
    for side in ("rx", "tx"):
        values = found.get(side)
        for key, raw in values.items() if isinstance(values, dict) else ():
            value = count(raw)
            if value is not None:
                name = key if key in ("multicast", "collisions") else f"{side}_{key}"
                counters.append((name, value))
    return tuple(counters) or None


def _text(text: str) -> Iterator[NetworkInterface]:
    blocks: list[list[str]] = []
    for line in lines(text):
        if _HEAD.match(line):
            blocks.append([line])
        elif blocks:
            blocks[-1].append(line)
    for block in blocks:
        head = _HEAD.match(block[0])
        if head is None:
            continue
        name, flags, mtu, rest = head.groups()
        said = dict(zip(rest.split()[::2], rest.split()[1::2], strict=False))
        kind = next((m.group(1) for b in block if (m := re.match(r"\s+link/(\S+)", b))), "")
        yield _interface(
            name,
            flags.split(","),
            int(mtu),
            said.get("state", ""),
            kind,
            said.get("master", ""),
            _pairs(block),
        )


def _pairs(block: list[str]) -> tuple[tuple[str, int], ...] | None:
    counters: list[tuple[str, int]] = []
    for heading, values in pairwise(block):
        start = re.match(r"\s+(RX|TX)(?: errors)?:\s+(.*)$", heading)
        numbers = values.split()
        if start is None or not numbers or not all(n.isdecimal() for n in numbers):
            continue
        side = start.group(1).lower()
        for word, number in zip(start.group(2).split(), numbers, strict=False):
            name = _HEADINGS.get(word)
            if name is not None and "errors:" not in heading:
                full = name if name in ("multicast", "collisions") else f"{side}_{name}"
                counters.append((full, int(number[:20])))
    return tuple(counters) or None


def _interface(
    name: str,
    flags: list[str] | None,
    mtu: int | None,
    operstate: str,
    kind: str,
    master: str,
    counters: tuple[tuple[str, int], ...] | None,
) -> NetworkInterface:
    up = None if flags is None else "UP" in flags
    # LOWER_UP is printed for a carrier; without UP the kernel does not look
    carrier = None if flags is None or not up else "LOWER_UP" in flags
    return NetworkInterface(
        name,
        kind=_KINDS.get(kind, ""),
        up=up,
        operstate=operstate.lower(),
        carrier=carrier,
        mtu=mtu,
        master=master,
        counters=counters,
    )
