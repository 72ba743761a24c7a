"""Memory: how much, how it is paged, and whether it is failing."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Memory(Fact):
    """Memory of one node in bytes; only what does not change from second to second.

    ``poisoned`` is memory that the kernel took out of use after hardware errors.
    """

    total: int
    swap_total: int | None = None
    poisoned: int | None = None
    huge_page_size: int | None = None
    huge_pages: int | None = None


@dataclass(frozen=True, slots=True)
class HugePagePool(Fact):
    """Huge pages of one size (bytes) that are set aside."""

    page_size: int
    pages: int
    free: int | None = None


@dataclass(frozen=True, slots=True)
class TransparentHugePages(Fact):
    """The chosen words of /sys/kernel/mm/transparent_hugepage."""

    enabled: str
    defrag: str = ""


@dataclass(frozen=True, slots=True)
class MemoryErrors(Fact):
    """Errors that one memory controller counted since its driver was loaded (EDAC)."""

    controller: str
    name: str = ""
    corrected: int | None = None
    uncorrected: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryModule(Fact):
    """One populated memory slot. ``size`` in bytes, speeds in MT/s."""

    locator: str
    size: int | None
    type: str = ""
    speed: int | None = None
    configured_speed: int | None = None
    manufacturer: str = ""
    part_number: str = ""
    bank: str = ""
    rank: int | None = None
