"""Processors: what they are, how they are clocked, and where memory hangs."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Processors(Fact):
    """The processors of one node. ``cpus`` are logical ones that are online.

    ``hypervisor`` is True when the processor itself says that it is virtual. ``microcode`` is in
    the kernel's own spelling, frequencies are MHz.
    """

    model: str
    vendor: str = ""
    architecture: str = ""
    cpus: int | None = None
    present: int | None = None
    sockets: int | None = None
    cores_per_socket: int | None = None
    threads_per_core: int | None = None
    numa_nodes: int | None = None
    smt: str = ""  # the kernel's word: on, off, forceoff, notsupported, notimplemented
    microcode: str = ""
    hypervisor: bool | None = None
    max_mhz: float | None = None


@dataclass(frozen=True, slots=True)
class CpuFrequency(Fact):
    """How CPU clocks are governed: every governor in use, with its number of policies."""

    driver: str
    governors: tuple[tuple[str, int], ...]
    turbo: bool | None = None


@dataclass(frozen=True, slots=True)
class NumaNode(Fact):
    """One memory node. ``memory`` in bytes; ``distances`` to every node in order (10 is local)."""

    node: int
    cpus: str
    memory: int | None = None
    distances: tuple[int, ...] = ()
