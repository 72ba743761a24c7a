"""What sdiag prints about slurmctld, as text."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.quantity import integer
from assay.kit.reading import saved
from assay.kit.seen import Seen
from assay.model.facts.slurm import ControllerRpc, ControllerStatistics
from assay.probes.pasted import clean
from assay.probes.slurm_words import nothing

SDIAG = saved(
    "sdiag",
    looks_like=r"^sdiag output at [^\n]*(?:\n[^\n]*){0,4}"
    r"|^Main schedule statistics \(microseconds\):[^\n]*(?:\n[^\n]*){0,4}"
    r"|^(?:sdiag|slurm_get_statistics): error[^\n]*",
)
# The label of a line, by section ("" before any) -> the field.
_LABELS = {
    "": {
        "server thread count": "threads", "agent queue size": "agent_queue",
        "agent count": "agents", "agent thread count": "agent_threads",
        "dbd agent queue size": "database_queue", "jobs submitted": "submitted",
        "jobs started": "started", "jobs completed": "completed", "jobs canceled": "cancelled",
        "jobs failed": "failed", "jobs pending": "pending", "jobs running": "running",
    },
    "main": {
        "last cycle": "cycle_last", "max cycle": "cycle_max", "total cycles": "cycles",
        "mean cycle": "cycle_mean", "mean depth cycle": "depth_mean",
        "cycles per minute": "cycles_per_minute", "last queue length": "queue_length",
    },
    "backfill": {
        "total backfilled jobs (since last slurm start)": "backfilled",
        "total backfilled jobs (since last stats cycle start)": "backfilled_last",
        "total cycles": "backfill_cycles", "last cycle": "backfill_last",
        "max cycle": "backfill_max", "mean cycle": "backfill_mean",
        "last queue length": "backfill_queue",
    },
}  # fmt: skip
_AT = re.compile(r"sdiag output at (.+?)(?: \(\d+\))?$", re.MULTILINE)
_SINCE = re.compile(r"^Data since\s+(.+?)(?: \(\d+\))?$", re.MULTILINE)
_RPC = re.compile(r"\s*(\S+)\s*\(\s*(\d+)\)\s+count:(\d+)\s+ave_time:(\d+)\s+total_time:(\d+)\s*")
_SECTIONS = (
    ("main schedule statistics", "main"), ("backfilling stats", "backfill"),
    ("remote procedure call statistics by message", "type"),
    ("remote procedure call statistics by user", "user"), ("pending rpc", "other"),
    ("main scheduler exit", "other"), ("backfill exit", "other"), ("latency for", "other"),
)  # fmt: skip


@probe("slurm.statistics", reads=[SDIAG])
def sdiag(seen: Seen) -> Iterator[ControllerStatistics | ControllerRpc]:
    """Statistics of the Slurm controller: jobs, scheduling cycles, calls by type and by user."""
    if seen.capture(SDIAG) is None:
        return
    text = clean(seen.text(SDIAG))
    section = ""
    values = dict[str, int | None]()
    rpcs = list[ControllerRpc]()
    for line in text.split("\n"):
        low = line.strip().lower()
        section = next((s for start, s in _SECTIONS if low.startswith(start)), section)
        label, colon, value = line.rpartition(":")
        field = _LABELS.get(section, {}).get(label.strip().lower()) if colon else None
        if field and integer(value) is not None:
            values.setdefault(field, integer(value))
        elif section in ("type", "user") and (found := _RPC.fullmatch(line)):
            name, *numbers = found.groups()
            rpcs.append(ControllerRpc(section, name, *(int(n[:18]) for n in numbers)))
    if not values:
        nothing(text, "sdiag")
        return
    at, since = _AT.search(text), _SINCE.search(text)
    yield ControllerStatistics(
        at=at.group(1).strip() if at else "", since=since.group(1).strip() if since else "",
        **values,  # type: ignore[arg-type]
    )  # fmt: skip
    yield from rpcs
