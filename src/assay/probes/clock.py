"""Is the clock kept right, and by whom?"""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.quantity import number
from assay.kit.reading import Reading, command, listing
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Status
from assay.model.facts.clock import ClockSync
from assay.probes.kernel_values import plain_lines, whole

CHRONY = command(
    "chronyc", "-n", "tracking", name="chronyc-tracking", deadline=5.0,
    looks_like=r"^Reference ID +: [^\n]*\nStratum +: \d+$",
)  # fmt: skip
TIMEDATE = command(
    "timedatectl", "show", "--property=NTPSynchronized", "--property=NTP", name="timedatectl",
    deadline=5.0,
    looks_like=r"^NTPSynchronized=(?:yes|no)$|^ *(?:System clock|NTP) synchronized: (?:yes|no)$",
)  # fmt: skip
TIMESYNC = listing("/run/systemd/timesync/synchronized", name="timesync-mark")

NO_DAEMON = "Cannot talk to daemon"  # chronyc is installed, and chronyd does not run

_LINE = re.compile(r"([A-Z][A-Za-z ()]*?) *: +(.*)")
_SYNCHRONIZED = re.compile(
    r"^ *(?:NTPSynchronized=|System clock synchronized: |NTP synchronized: )(\S+)$", re.MULTILINE
)


@probe("system.clock", reads=[CHRONY, TIMEDATE, TIMESYNC])
def clock(seen: Seen) -> Iterator[ClockSync]:
    """Whether the clock is synchronised, as the time service itself says."""
    if _answers(seen, CHRONY):
        yield _from_chrony(seen.text(CHRONY))
        return
    if _answers(seen, TIMEDATE):
        yield _from_timedate(seen.text(TIMEDATE))
    elif seen.capture(TIMESYNC) is not None and any(seen.entries(TIMESYNC)):
        yield ClockSync("systemd-timesyncd", True, detail="synchronised since boot")
    elif seen.capture(CHRONY) is None and seen.capture(TIMEDATE) is None:
        seen.answered(CHRONY)
    else:
        yield ClockSync("", None, detail="no time service answers")
    # The kernel's word does not replace chrony's, where chrony was there and not understood.
    chrony = seen.capture(CHRONY)
    if chrony is not None and chrony.status is not Status.ABSENT and not _idle(chrony):
        seen.answered(CHRONY)


def _answers(seen: Seen, reading: Reading) -> bool:
    found = seen.capture(reading)
    return found is not None and found.status is Status.ANSWERED and found.exit_code in (0, None)


def _idle(chrony: Capture) -> bool:
    return NO_DAEMON in chrony.stderr or NO_DAEMON.encode() in chrony.data


def _from_chrony(text: str) -> ClockSync:
    said: dict[str, str] = {}
    for line in plain_lines(text):
        if found := _LINE.fullmatch(line.strip()):
            said.setdefault(found.group(1), found.group(2).strip())
    leap = said.get("Leap status")
    if leap is None:
        raise Unread(f"`{CHRONY.source}` tells no leap status")
    # chrony says "Not synchronised" there; "Insert second" and "Delete second" are synchronised
    known = {"Normal": True, "Insert second": True, "Delete second": True,
             "Not synchronised": False}  # fmt: skip
    offset = number(said.get("System time"))
    return ClockSync(
        source="chrony",
        synchronized=known.get(leap),
        offset_seconds=abs(offset) if offset is not None else None,
        stratum=whole(said.get("Stratum")),
        detail=leap,
    )


def _from_timedate(text: str) -> ClockSync:
    found = _SYNCHRONIZED.search("\n".join(plain_lines(text)))
    if found is None:
        raise Unread("timedatectl does not say whether the clock is synchronised")
    word = found.group(1)
    return ClockSync("kernel", {"yes": True, "no": False}.get(word), detail=word)
