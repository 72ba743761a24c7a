"""Clocks: is the time right, and how long has the system been up?"""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class ClockSync(Fact):
    """What a time service says. ``offset_seconds`` is how far the clock is off, without sign."""

    source: str  # chrony, systemd-timesyncd, kernel
    synchronized: bool | None
    offset_seconds: float | None = None
    stratum: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Uptime(Fact):
    """Seconds since boot."""

    seconds: float
