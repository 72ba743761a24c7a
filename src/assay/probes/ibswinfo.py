"""What ibswinfo prints: an unmanaged InfiniBand switch about itself."""

import re
from collections.abc import Iterator

from assay.kit.quantity import number
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.fabric import SwitchStatus
from assay.probes.pasted import clean
from assay.probes.rdma_words import lines, whole

IBSWINFO = saved(
    "ibswinfo",
    looks_like=r"^[ \t]*(?:part number|product name|serial number)\s+\| .*$"
    r"(?:\n[a-zA-Z \t]+\| .*$)*",
)

_ROW = re.compile(r"^[ \t]*([A-Za-z][^|]*?)\s*\|\s*(.*)$")
_UPTIME = re.compile(r"(?:(\d+)d-)?(\d+):(\d\d):(\d\d)")


def parse(seen: Seen) -> Iterator[SwitchStatus]:
    """One or several switches."""
    name, rows, found = "", list[tuple[str, str]](), False
    for line in [*lines(clean(seen.text(IBSWINFO))), "==="]:
        row = _ROW.match(line)
        starts = row is None and line.startswith("===")
        if row:
            rows.append((row.group(1), row.group(2)))
        elif starts and any(key in ("product name", "part number", "GUID") for key, _ in rows):
            found = True
            yield _switch(name, rows)
            name, rows = "", []
        elif line.strip() and not line.strip("-= "):
            continue
        elif line.strip() and not rows:
            name = line.strip()
    if not found:
        raise Unread("ibswinfo printed no switch")


def _switch(name: str, rows: list[tuple[str, str]]) -> SwitchStatus:
    said = dict(rows)
    supplies, watts, fans = [], [], []
    supply: int | None = None
    for key, value in rows:
        if (found := re.fullmatch(r"PSU(\d{1,2}) status", key)) is not None:
            supply = int(found.group(1))
            supplies.append((supply, value))
        elif key == "power (W)" and supply is not None and (power := number(value)) is not None:
            watts.append((supply, power))
        elif (fan := re.fullmatch(r"fan#(\d{1,3}) \(rpm\)", key)) is not None:
            speed = whole(value)
            if speed is not None:
                fans.append((int(fan.group(1)), speed))
    # the supplies have a "fan status" too; the switch's own is the last one
    status = [value for key, value in rows if key == "fan status"]
    return SwitchStatus(
        said.get("product name", "") or name,
        part_number=said.get("part number", ""),
        psid=said.get("PSID", ""),
        guid=said.get("GUID", "").lower(),
        firmware=said.get("firmware version", ""),
        ports=whole(said.get("ports")),
        uptime_seconds=_seconds(said.get("uptime (d-h:m:s)", "")),
        temperature_c=number(said.get("temperature (C)")),
        temperature_max_c=number(said.get("max temp (C)")),
        fans=status[-1] if status else "",
        fan_rpm=tuple(fans),
        supplies=tuple(supplies),
        supply_watts=tuple(watts),
    )


def _seconds(text: str) -> int | None:
    found = _UPTIME.fullmatch(text.strip()[:40])
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
