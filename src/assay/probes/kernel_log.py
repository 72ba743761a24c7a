"""The kernel log: seven days of journal where it is kept, else the ring buffer."""

from collections.abc import Iterator
from dataclasses import replace

from assay.faults.decode import decode, when
from assay.kit.probe import probe
from assay.kit.reading import MIB, Reading, command
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.system import KernelEvent, KernelLog

HEAD = 200  # lines in which a time must be found

JOURNAL = command(
    *("journalctl", "--quiet", "--no-pager", "--output=short-iso", "--since=-7days"),
    *("--lines=20000", "_TRANSPORT=kernel"),
    name="journal",
    deadline=8.0,
    cap=8 * MIB,
)
RING = command(
    "dmesg",
    name="dmesg",
    deadline=5.0,
    cap=8 * MIB,
    looks_like=r"^(?:<\d+>)?\[\s*\d+\.\d{6}\] .{8,}|NVRM: Xid \(.*|SXid \(.*",
)


@probe("system.kernel-log", reads=[JOURNAL, RING])
def kernel_log(seen: Seen) -> Iterator[KernelLog | KernelEvent]:
    """Faults that the kernel log tells of, and how much of the log was read."""
    reasons = []
    for reading in (JOURNAL, RING):
        try:
            lines, cut = _lines(seen, reading)
        except Unread as reason:
            reasons.append(str(reason))
            continue
        if not lines:
            reasons.append(f"`{reading.argv[0]}` printed nothing")
            continue
        stamp = next((at for line in lines[:HEAD] if (at := when(line))), "")
        found = events(lines)
        if not stamp and not found:
            reasons.append(f"what `{reading.argv[0]}` printed is no kernel log: no line has a time")
            continue
        yield KernelLog(reading.argv[0], len(lines), stamp)
        yield from found
        if cut:
            raise Unread(f"`{reading.argv[0]}` printed more than is kept; its end was not read")
        return
    raise Unread("no kernel log: " + "; ".join(reasons))


def events(lines: list[str]) -> list[KernelEvent]:
    """The events in *lines*, equal ones counted together, in order of first appearance."""
    found: dict[tuple[object, ...], KernelEvent] = {}
    for event in decode(lines):
        key = (event.kind, event.code, event.device, event.severity, event.action, event.drill)
        known = found.get(key)
        if known is not None:
            found[key] = replace(known, count=known.count + 1, when=event.when or known.when)
            continue
        found[key] = KernelEvent(
            vendor=event.vendor,
            kind=event.kind,
            code=event.code,
            device=event.device,
            fault_class=event.fault_class,
            severity=event.severity,
            action=event.action,
            policy=event.policy,
            meaning=event.meaning,
            line=event.line[:500],
            when=event.when,
            drill=event.drill,
        )
    return list(found.values())


def _lines(seen: Seen, reading: Reading) -> tuple[list[str], bool]:
    """The lines of one log, and whether its end is missing."""
    capture = seen.capture(reading)
    cut = capture is not None and capture.status is Status.TRUNCATED
    data = capture.data if cut and capture else seen.answered(reading).data
    return data.decode("utf-8", "replace").splitlines(), cut
