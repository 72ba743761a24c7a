"""What vendors' tools say about the inside, the surroundings and the users of accelerators."""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class RasBlock(Fact):
    """Errors of one hardware block (UMC, GFX, XGMI_WAFL, ...) of one accelerator.

    ``device`` is its PCI address, "" where the source numbers devices instead; ``index`` is None
    where it names the address only. Counts are since the driver was loaded.
    """

    vendor: str
    index: int | None
    device: str
    block: str
    enabled: bool | None = None
    corrected: int | None = None
    uncorrected: int | None = None
    deferred: int | None = None

    @property
    def subject(self) -> str:
        """How findings name the block."""
        where = f"gpu {self.index}" if self.index is not None else self.device
        return f"{where} {self.block}"


@dataclass(frozen=True, slots=True)
class BadPages(Fact):
    """Pages of device memory that are out of use, or should be, on one accelerator.

    ``retired`` are reserved already, ``pending`` wait for the next reset, ``unreservable`` are
    known bad and still in use.
    """

    vendor: str
    index: int | None
    device: str
    retired: int | None = None
    pending: int | None = None
    unreservable: int | None = None
    threshold: int | None = None

    @property
    def subject(self) -> str:
        """How findings name the accelerator."""
        return f"gpu {self.index}" if self.index is not None else self.device


@dataclass(frozen=True, slots=True)
class PeerPath(Fact):
    """How one accelerator reaches another, by index, as the vendor's tool sees it.

    ``kind`` is ``xgmi``, ``neuronlink``, ``link`` (some scale-up link), ``pcie``, ``pix``, ``pxb``,
    ``phb``, ``node`` or ``sys``; "" where the tool did not say. ``weight`` is the tool's own.
    """

    vendor: str
    source: int
    target: int
    kind: str = ""
    hops: int | None = None
    weight: int | None = None
    accessible: bool | None = None
    gbytes_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class DeviceAffinity(Fact):
    """The CPUs and the NUMA node nearest to one accelerator."""

    vendor: str
    index: int
    numa_node: int | None = None
    cpus: str = ""


@dataclass(frozen=True, slots=True)
class DeviceProcess(Fact):
    """One process that has an accelerator open. Memory in MiB."""

    whole: ClassVar[bool] = False

    vendor: str
    index: int
    pid: int
    name: str = ""
    memory_mib: float | None = None
    runtime: str = ""


@dataclass(frozen=True, slots=True)
class DeviceTest(Fact):
    """What a test program said about one accelerator, in its own words.

    ``device`` is the program's name for it, "" for the whole node; ``value`` is in ``unit``.
    """

    whole: ClassVar[bool] = False

    tool: str
    test: str
    device: str
    status: str
    value: float | None = None
    unit: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DeviceNode(Fact):
    """A device file: its type letter, permission bits and owners by number."""

    path: str
    type: str
    mode: int
    user: int
    group: int


@dataclass(frozen=True, slots=True)
class RuntimeReport(Fact):
    """What one process did with its accelerators since the last report of its runtime.

    ``errors`` are named counts of failed executions. Latencies in seconds.
    """

    whole: ClassVar[bool] = False

    vendor: str
    pid: int | None
    name: str = ""
    period_seconds: float | None = None
    completed: int | None = None
    errors: tuple[tuple[str, int], ...] = ()
    latency_p50: float | None = None
    latency_p99: float | None = None
    device_memory_mib: float | None = None
    utilization: tuple[tuple[str, float], ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class NicCard(Fact):
    """One network card as its maker's tool describes it."""

    vendor: str
    id: str
    bdf: str = ""
    interface_bdf: str = ""
    product: str = ""
    sku: str = ""
    firmware: str = ""
    partition: str = ""
    next_partition: str = ""
    reset_reason: str = ""
    mac: str = ""


@dataclass(frozen=True, slots=True)
class NicPort(Fact):
    """One port of a network card, as its maker's tool sees it. Speed in Gb/s."""

    vendor: str
    card: str
    name: str
    admin: str = ""
    state: str = ""
    speed: float | None = None
    speed_set: float | None = None
    lanes: int | None = None
    mtu: int | None = None
    fec: str = ""
    pause: str = ""
    link_downs: int | None = None
    temperature_c: float | None = None
    transceiver: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswer(Fact):
    """Whether a vendor's tool answered: the devices that it listed, or its complaint.

    ``places`` are their PCI addresses, where it shows them.
    """

    vendor: str
    tool: str
    devices: int
    places: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class GpuPartition(Fact):
    """How one AMD GPU is cut up: its compute mode (SPX, CPX, ...) and memory mode (NPS1, ...)."""

    index: int
    compute: str
    memory: str

    @property
    def mode(self) -> str:
        """Both in one, as amd-smi's overview prints them."""
        return f"{self.compute or '?'}/{self.memory or '?'}"
