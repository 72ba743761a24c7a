"""RDMA adapters by part: how fast they can be, which belong together, which are rails."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.facts.fabric import RdmaPort


@dataclass(frozen=True, slots=True)
class Part:
    """An adapter chip. ``full`` is Gb/s of its fastest card, ``slower`` those of other cards."""

    name: str
    full: float
    slower: tuple[float, ...] = ()


# hca_type as the mlx5 driver prints it: the PCI device id in decimal. Port speeds are those of
# the cards in NVIDIA's adapter data sheets (ConnectX-4 to -8, BlueField-2 and -3).
PARTS = {
    "MT4115": Part("ConnectX-4", 100.0, (56.0, 50.0, 40.0, 25.0)),
    "MT4119": Part("ConnectX-5", 100.0, (50.0, 25.0)),
    "MT4121": Part("ConnectX-5 Ex", 100.0, (50.0, 25.0)),
    "MT4123": Part("ConnectX-6", 200.0, (100.0,)),
    "MT4124": Part("ConnectX-6 virtual function", 200.0, (100.0,)),
    "MT4125": Part("ConnectX-6 Dx", 100.0, (50.0, 25.0)),
    "MT4127": Part("ConnectX-6 Lx", 25.0, (10.0,)),
    "MT4129": Part("ConnectX-7", 400.0, (200.0,)),
    "MT4131": Part("ConnectX-8", 800.0, (400.0,)),
    "MT41686": Part("BlueField-2", 200.0, (100.0, 25.0)),
    "MT41692": Part("BlueField-3", 400.0, (200.0,)),
}
# Cards (by PSID) with one port that runs at the part's full speed.
FULL_SPEED_BOARDS = frozenset({"MT_0000000838", "MT_0000000884"})  # MCX75310AAS-NEA, B3140H
RAIL = 100.0  # Gb/s; a slower RDMA port is the frontend's, or a cloud's virtual one


def key(port: RdmaPort) -> tuple[str, str]:
    """What makes two ports of one node belong together: the chip and the card."""
    family = port.hca_type or re.sub(r"\d+", "", port.device)
    return family, port.board_id


def groups(ports: Sequence[RdmaPort]) -> dict[tuple[str, str], list[RdmaPort]]:
    """Ports by what they belong together."""
    found: dict[tuple[str, str], list[RdmaPort]] = defaultdict(list)
    for port in ports:
        found[key(port)].append(port)
    return found


def title(group: tuple[str, str]) -> str:
    """A group's name for a sentence: "ConnectX-7 (MT4129, MT_0000000838)"."""
    family, board = group
    known = PARTS.get(family)
    inner = ", ".join(part for part in (family if known else "", board) if part)
    return (known.name if known else family) + (f" ({inner})" if inner else "")


def rails(ports: Sequence[RdmaPort]) -> list[RdmaPort]:
    """The ports that make the scale-out fabric: the largest group of fast ports of one kind.

    Empty when the node has no such group (fewer than two ports, or slow ones only).
    """
    fast = [group for group in groups(ports).values() if len(group) > 1 and _fast(group)]
    return max(fast, key=lambda group: (len(group), _speed(group)), default=[])


def _speed(group: Sequence[RdmaPort]) -> float:
    part = PARTS.get(group[0].hca_type)
    seen = max((port.rate or 0.0 for port in group), default=0.0)
    return max(seen, part.full if part else 0.0)


def _fast(group: Sequence[RdmaPort]) -> bool:
    return _speed(group) >= RAIL


def neighbour(port: RdmaPort, ports: Sequence[RdmaPort]) -> bool:
    """True when another function of the same card is here too: a card with two ports."""
    slot = port.bdf.rpartition(".")[0]
    return bool(slot) and not port.virtual and any(
        other.bdf.rpartition(".")[0] == slot and other.bdf != port.bdf for other in ports
    )  # fmt: skip


def active(port: RdmaPort) -> bool:
    """The link is up and configured."""
    return port.state == "active" and port.physical_state in ("linkup", "")
