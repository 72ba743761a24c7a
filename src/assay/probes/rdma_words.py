"""The words in which tools describe RDMA ports, brought to one vocabulary."""

import re
from collections.abc import Iterator

from assay.kit.quantity import integer, number

# Nominal Gb/s of one lane. InfiniBand Architecture Specification, volume 1, link speeds.
LANE = {
    "SDR": 2.5, "DDR": 5.0, "QDR": 10.0, "FDR10": 10.0, "FDR": 14.0, "EDR": 25.0, "HDR": 50.0,
    "NDR": 100.0, "XDR": 200.0,
}  # fmt: skip
# What infiniband-diags print for the signalling rate of one lane.
SIGNALLING = {
    "2.5": "SDR", "5.0": "DDR", "10.0": "QDR", "10.3125": "FDR10", "14.0625": "FDR",
    "25.78125": "EDR", "53.125": "HDR", "106.25": "NDR", "212.5": "XDR",
}  # fmt: skip

_RATE = re.compile(
    r"(\d+(?:\.\d+)?)\s*(?:Gb/?(?:s(?:ec)?|ps)?)?\s*(?:\(\s*(\d+)X(?:\s+([A-Z]+\d*))?\s*\))?",
    re.IGNORECASE,
)
# The tools' names for counters, and the kernel's (Documentation/ABI/stable/sysfs-class-infiniband).
SYSFS_NAMES = {
    "symbolerrorcounter": "symbol_error",
    "symbolerrors": "symbol_error",
    "linkerrorrecoverycounter": "link_error_recovery",
    "linkrecovers": "link_error_recovery",
    "linkdownedcounter": "link_downed",
    "linkdowned": "link_downed",
    "portrcverrors": "port_rcv_errors",
    "rcverrors": "port_rcv_errors",
    "portrcvremotephysicalerrors": "port_rcv_remote_physical_errors",
    "rcvremotephyserrors": "port_rcv_remote_physical_errors",
    "portrcvswitchrelayerrors": "port_rcv_switch_relay_errors",
    "rcvswrelayerrors": "port_rcv_switch_relay_errors",
    "portxmitdiscards": "port_xmit_discards",
    "xmtdiscards": "port_xmit_discards",
    "portxmitconstrainterrors": "port_xmit_constraint_errors",
    "xmtconstrainterrors": "port_xmit_constraint_errors",
    "portrcvconstrainterrors": "port_rcv_constraint_errors",
    "rcvconstrainterrors": "port_rcv_constraint_errors",
    "locallinkintegrityerrors": "local_link_integrity_errors",
    "linkintegrityerrors": "local_link_integrity_errors",
    "excessivebufferoverrunerrors": "excessive_buffer_overrun_errors",
    "excbufoverrunerrors": "excessive_buffer_overrun_errors",
    "vl15dropped": "VL15_dropped",
    "portxmitdata": "port_xmit_data",
    "xmtdata": "port_xmit_data",
    "portrcvdata": "port_rcv_data",
    "rcvdata": "port_rcv_data",
    "portxmitpkts": "port_xmit_packets",
    "xmtpkts": "port_xmit_packets",
    "portrcvpkts": "port_rcv_packets",
    "rcvpkts": "port_rcv_packets",
    "portxmitwait": "port_xmit_wait",
    "xmtwait": "port_xmit_wait",
    "portunicastxmitpkts": "unicast_xmit_packets",
    "portunicastrcvpkts": "unicast_rcv_packets",
    "portmulticastxmitpkts": "multicast_xmit_packets",
    "portmulticastrcvpkts": "multicast_rcv_packets",
    "qp1dropped": "qp1_dropped",
}


def word(text: str | None) -> str:
    """A state in one spelling: ``4: ACTIVE``, ``PORT_ACTIVE (4)``, ``Active`` are all active.

    >>> word("4: ACTIVE"), word("PORT_DOWN (1)"), word("LINK_UP (5)"), word("Initializing")
    ('active', 'down', 'linkup', 'init')
    """
    plain = re.sub(r"^[ \t]*\d+\s*:\s*|\s*\(\d+\)\s?$", "", text or "").strip().lower()
    if plain in ("", "n/a", "unknown", "<unknown>", "invalid"):
        return ""
    # "port configuration training" is a physical state, "port_active" a logical one
    plain = re.sub(r"^port_(?=active|down|init|armed|nop)", "", plain)
    plain = re.sub(r"[\s_-]+", "", plain)
    return {"initializing": "init", "initialize": "init", "initialized": "init"}.get(plain, plain)


def rate(text: str | None) -> tuple[float | None, int | None, str]:
    """Gb/s, lanes and speed name of ``400 Gb/sec (4X NDR)`` or ``400``.

    >>> rate("400 Gb/sec (4X NDR)"), rate("200")
    ((400.0, 4, 'NDR'), (200.0, None, ''))
    """
    found = _RATE.match((text or "").strip())
    if found is None:
        return None, None, ""
    gbits, lanes, speed = found.groups()
    return number(gbits), integer(lanes), (speed or "").upper()


def lanes(text: str | None) -> int | None:
    """The number in ``4X``, ``4x`` or ``4X (2)``."""
    found = re.match(r"\s*(\d{1,2})\s*x\b", text or "", re.IGNORECASE)
    return int(found.group(1)) if found else None


def lane_speed(text: str | None) -> str:
    """The name of a lane's speed: ``53.125 Gbps``, ``HDR``, ``50.0 Gbps`` are all HDR."""
    plain = (text or "").strip().upper().replace(" ", "")
    if plain in LANE:
        return plain
    digits = re.match(r"(\d+(?:\.\d+)?)GBPS", plain)
    if digits is None:
        return ""
    if digits.group(1) in SIGNALLING:
        return SIGNALLING[digits.group(1)]
    value = float(digits.group(1))
    return next((name for name, gbits in LANE.items() if gbits == value), "")


def nominal(width: int | None, speed: str) -> float | None:
    """Gb/s of *width* lanes at *speed*."""
    lane = LANE.get(speed)
    return None if width is None or lane is None else width * lane


def counter_name(name: str) -> str:
    """The kernel's name of a counter that a tool calls *name*; an unknown one stays as it is."""
    return SYSFS_NAMES.get(name.strip().lower(), name.strip())


def whole(text: str | None) -> int | None:
    """A whole number, decimal or 0x hexadecimal; None for anything else."""
    plain = (text or "").strip()
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,32}", plain):
        return int(plain, 16)
    return int(plain) if re.fullmatch(r"\d{1,30}", plain) else None


def pkey(text: str) -> str:
    """A P_Key as 0x8012; "" for an empty entry or junk."""
    plain = text.strip().lower()
    if not re.fullmatch(r"0x[0-9a-f]{1,4}", plain):
        return ""
    value = int(plain, 16)
    return f"0x{value:04x}" if value & 0x7FFF else ""


def lines(text: str) -> Iterator[str]:
    """The lines of *text* without blanks at their ends; no tool prints one of 2,000 characters."""
    for line in text.split("\n"):
        yield line[:2000].rstrip()
