"""Resource limits of the session that collected."""

from dataclasses import dataclass

from assay.model.fact import Fact

UNLIMITED = -1


@dataclass(frozen=True, slots=True)
class ResourceLimit(Fact):
    """One limit by the kernel's name ("locked memory"). ``UNLIMITED`` stands for no limit."""

    name: str
    soft: int
    hard: int
    unit: str = ""
