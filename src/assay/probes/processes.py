"""Running programs and listening ports of a node."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import command
from assay.kit.seen import Seen, Unread
from assay.model.facts.access import Listener, RunningProgram

# Names and numeric users only: command lines may hold secrets, and process ids differ on every
# node, so equal nodes would not look equal. Children of process 2 are the kernel's own threads.
PROCESSES = command(
    "ps",
    "--ppid",
    "2",
    "-p",
    "2",
    "--deselect",
    "-o",
    "uid=",
    "-o",
    "comm=",
    name="ps",
    deadline=5.0,
)
LISTENERS = command(
    "ss", "-ltn", deadline=5.0, looks_like=r"^State +Recv-Q +Send-Q +Local Address:Port"
)
FIRST_PERSON = 1000  # UID_MIN of login.defs everywhere since 2012
NOBODIES = range(65532, 65535)  # nonroot and nobody: exporters and the like
_PROCESS = re.compile(r"\s*(\d+) (\S.*)")
_HEADS = ("State ", "Recv-Q")
_EVERYWHERE = ("0.0.0.0", "*", "[::]", "::")  # noqa: S104 - these are read, not bound


@probe("security.processes", reads=[PROCESSES])
def processes(seen: Seen) -> Iterator[RunningProgram]:
    """Programs that run as root or as a system user, by name."""
    found: set[tuple[str, int]] = set()
    for line in seen.text(PROCESSES).splitlines():
        match = _PROCESS.fullmatch(line.rstrip())
        if match is None:
            raise Unread(f"ps printed {line[:80]!r}")
        found.add((match[2], int(match[1])))
    if not any(uid == 0 for _, uid in found):
        raise Unread("ps shows no process of root: /proc hides what other users run")
    for name, uid in sorted(found):
        if (uid < FIRST_PERSON or uid in NOBODIES) and name != "ps":  # our own
            yield RunningProgram(name, uid)


@probe("security.listeners", reads=[LISTENERS])
def listeners(seen: Seen) -> Iterator[Listener]:
    """TCP ports that something listens on; a number does not say who."""
    found: set[tuple[str, int]] = set()
    lines = seen.text(LISTENERS).splitlines()
    if not any(line.startswith(_HEADS) for line in lines):
        raise Unread(f"ss printed no table: {' '.join(lines)[:80]!r}")
    for line in lines:
        fields = line.split()
        if not fields or line.startswith(_HEADS):
            continue
        # Old versions leave out the state when only listening sockets were asked for.
        local = fields[3] if fields[0] == "LISTEN" and len(fields) >= 5 else ""
        address, _, port = local.rpartition(":")
        if not port.isascii() or not port.isdigit() or int(port) > 65535:
            raise Unread(f"ss printed {line[:80]!r}")
        address = address.partition("%")[0]
        found.add(("*" if address in _EVERYWHERE else address.strip("[]"), int(port)))
    for address, number in sorted(found):
        yield Listener(address, number)
