"""System services, in systemd's words."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import command
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.system import Service
from assay.probes.kernel_values import plain_lines

_STATES = "active|inactive|failed|activating|deactivating|reloading|refreshing|maintenance"
UNITS = command(
    "systemctl", "list-units", "--type=service", "--all", "--no-legend", "--plain", "--no-pager",
    name="systemctl-list-units",
    looks_like=rf"^(?:[^\s\w] ?)?[ \t]{{0,8}}[^\s.]\S{{0,250}}\.service"
    rf" {{1,200}}\S{{1,20}} {{1,40}}(?:{_STATES}) +\S+[^\n]*$",
)  # fmt: skip
_ROW = re.compile(
    r"\s*(?:[^\s\w]\s+)?(\S+\.service) +(?:(\S+) +(" + _STATES + r")"
    r"|(loaded|not-found|bad-setting|error|merged|masked|stub) +(\S+)) +(\S+)(?: +.*)?"
)
NO_SYSTEMD = "not been booted with systemd"


@probe("system.services", reads=[UNITS])
def services(seen: Seen) -> Iterator[Service]:
    """System services and their states; nothing where systemd does not run."""
    if seen.absent(UNITS) or _without_systemd(seen):
        return
    text = seen.text(UNITS)
    found = [row for line in plain_lines(text) if (row := _ROW.fullmatch(line))]
    if not found:
        raise Unread("systemctl listed no services")
    for row in found:
        yield Service(row[1], load=row[2] or row[4], active=row[3] or row[5], sub=row[6])


def _without_systemd(seen: Seen) -> bool:
    found = seen.capture(UNITS)
    if found is None or found.status is not Status.ANSWERED or found.exit_code == 0:
        return False
    return NO_SYSTEMD in found.stderr or NO_SYSTEMD.encode() in found.data
