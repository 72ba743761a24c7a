"""The health of disks and of the arrays that are made of them."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class NvmeController(Fact):
    """One NVMe controller; ``state`` is the driver's word (live, resetting, dead, ...)."""

    name: str
    state: str
    model: str = ""
    firmware: str = ""
    transport: str = ""


@dataclass(frozen=True, slots=True)
class DiskHealth(Fact):
    """What a disk says of itself (SMART). Percentages are of the vendor's own 100 %.

    ``critical_warning`` is the NVMe bit field, ``passed`` the overall SMART word.
    """

    device: str
    model: str = ""
    passed: bool | None = None
    critical_warning: int | None = None
    temperature_c: float | None = None
    spare_percent: int | None = None
    spare_threshold_percent: int | None = None
    used_percent: int | None = None
    media_errors: int | None = None
    unsafe_shutdowns: int | None = None
    power_on_hours: int | None = None


@dataclass(frozen=True, slots=True)
class RaidArray(Fact):
    """One md array. ``wanted`` and ``working`` count members; both None for levels without."""

    name: str
    state: str  # active, inactive
    level: str = ""
    members: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    wanted: int | None = None
    working: int | None = None
    activity: str = ""  # recovery, resync, reshape, check
