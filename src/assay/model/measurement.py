"""Measurements: a number, its unit and the circumstances."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured value. ``at`` holds the circumstances, such as ``("bytes", "8388608")``."""

    metric: str
    value: float
    unit: str
    at: tuple[tuple[str, str], ...] = ()
