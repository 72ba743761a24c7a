"""Links lost and regained, as network daemons and drivers write it into the system log."""

import re
from collections.abc import Iterator

from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.network import LinkFlap
from assay.probes.pasted import clean
from assay.probes.rdma_words import lines

# The words of systemd-networkd, of NetworkManager, of drivers such as ixgbe, ice and bnxt_en
# ("NIC Link is Down") and mlx5_core, of bonding, and of IPv6 address configuration.
_LOST = (
    r"(?P<lost>lost carrier|link disconnected|link (?:is )?down\b|link status (?:definitely )?down"
    r"|link is not ready|carrier lost)"
)
_GAINED = (
    r"(?P<gained>gained carrier|link connected|link (?:is )?up\b|link status (?:definitely )?up"
    r"|link becomes ready|carrier (?:up|acquired))"
)
_EVENT = re.compile(
    r"(?:\((?P<nm>[A-Za-z][\w.-]{0,30})\):?|NETDEV_(?:UP|CHANGE)\): (?P<ndp>[A-Za-z][\w.-]{0,30}):"
    r"|(?P<before>[A-Za-z][\w.-]{0,30}):?)"
    r"[ \t]+(?:NIC )?(?:carrier: )?(?:" + _LOST + "|" + _GAINED + ")",
    re.IGNORECASE,
)
# Bonding names the leg after the words, newer kernels before them.
_BOND = re.compile(
    r"(?:\(slave (?P<slave>[A-Za-z][\w.-]{0,30})\): )?link status definitely (?P<word>down|up)"
    r"(?: for (?:(?:active )?interface|slave) (?P<name>[A-Za-z][\w.-]{0,30}))?",
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"^[ \t]*(?:<\d+>)?\[?\s*([A-Z][a-z]{2} +\d+ [\d:.]{8,15}|\d{4}-\d\d-\d\d[T ][\d:.,]{8,15}\S*"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:]{8} \d{4}|\d+\.\d+)"
)
SYSLOG = saved(
    "syslog-links",
    looks_like=r"^.{0,200}\b[A-Za-z][\w.-]{0,30}:? +(?:NIC )?"
    r"(?:[Ll]ost carrier|[Gg]ained carrier|[Ll]ink (?:is )?(?:[Dd]own|[Uu]p)\b)"
    r".*$|^.{0,200}carrier: link connected.*$|^.{0,200}link status definitely.*$",
)


def flaps(seen: Seen) -> Iterator[LinkFlap]:
    """How often each interface lost and regained its link."""
    lost: dict[str, list[str]] = {}
    gained: dict[str, list[str]] = {}
    for line in lines(clean(seen.text(SYSLOG))):
        event = _event(line[:2000])
        if event is None:
            continue
        name, down = event
        stamp = _STAMP.match(line)
        (lost if down else gained).setdefault(name, []).append(stamp.group(1) if stamp else "")
    for name in sorted(lost.keys() | gained.keys()):
        stamps = [s for s in lost.get(name, []) if s] or [s for s in gained.get(name, []) if s]
        yield LinkFlap(
            name,
            len(lost.get(name, [])),
            len(gained.get(name, [])),
            stamps[0] if stamps else "",
            stamps[-1] if stamps else "",
        )
    if not lost and not gained:
        raise Unread("the log tells of no link that went up or down")


def _event(line: str) -> tuple[str, bool] | None:
    bond = _BOND.search(line)
    if bond and (name := bond.group("name") or bond.group("slave")):
        return name, bond.group("word").lower() == "down"
    found = _EVENT.search(line)
    if found is None:
        return None
    event = found.group("nm") or found.group("ndp") or found.group("before")
    return event, found.group("lost") is not None
