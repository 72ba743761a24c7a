"""Resource limits that a session on this node gets."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.limits import UNLIMITED, ResourceLimit
from assay.probes.kernel_values import plain_lines

LIMITS = files("/proc/self/limits", looks_like=r"^Limit\s+Soft Limit\s+Hard Limit\s+Units\s*$")
_LINE = re.compile(r"\s*Max ([a-z ]+?) {2,}(unlimited|\d{1,20}) +(unlimited|\d{1,20})(?: +(\S+))?")


@probe("system.limits", reads=[LIMITS])
def limits(seen: Seen) -> Iterator[ResourceLimit]:
    """Resource limits of the session that collected."""
    text = seen.file(LIMITS)
    if text is None:
        return
    rows = [row for line in plain_lines(text) if (row := _LINE.fullmatch(line))]
    if not rows:
        raise Unread("/proc/self/limits shows no limits")
    for row in rows:
        yield ResourceLimit(row[1], _limit(row[2]), _limit(row[3]), row[4] or "")


def _limit(word: str) -> int:
    return UNLIMITED if word == "unlimited" else int(word)
