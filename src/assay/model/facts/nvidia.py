"""What only NVIDIA's tools say about a GPU, its partitions and its neighbours."""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class NvidiaDevice(Fact):
    """State of one GPU beyond :class:`assay.model.facts.accelerator.Accelerator`.

    Clocks in MHz, temperatures in degrees Celsius, counters of clock-event reasons in
    microseconds. ``recovery_action`` is the driver's own advice ("None", "Reset", "Reboot",
    "Drain P2P", "Drain and Reset"). ``thermal_margin_c`` is how far the GPU is from slowing down.
    ``banks`` counts memory banks by the spare rows that they have left (max, high, partial, low,
    none). SRAM counts are uncorrected errors.
    """

    index: int
    bdf: str = ""
    architecture: str = ""
    performance_state: str = ""
    recovery_action: str = ""
    addressing: str = ""  # HMM, ATS, "" where not said
    c2c_enabled: bool | None = None
    confidential_compute: bool | None = None
    virtualization: str = ""
    gsp_firmware: str = ""
    ecc_pending: bool | None = None
    partition_pending: str = ""
    sram_volatile: int | None = None
    sram_aggregate: int | None = None
    sram_threshold_exceeded: bool | None = None
    channel_repair_pending: bool | None = None
    tpc_repair_pending: bool | None = None
    unrepairable_memory: bool | None = None
    banks: tuple[tuple[str, int], ...] = ()
    thermal_margin_c: float | None = None
    slowdown_c: float | None = None
    graphics_clock_mhz: float | None = None
    graphics_clock_max_mhz: float | None = None
    memory_clock_mhz: float | None = None
    memory_clock_max_mhz: float | None = None
    throttled_us: tuple[tuple[str, int], ...] = ()
    fabric_health: tuple[tuple[str, str], ...] = ()
    clique: str = ""
    cluster: str = ""

    @property
    def subject(self) -> str:
        """How findings name this GPU."""
        return f"gpu {self.index}"


@dataclass(frozen=True, slots=True)
class MigInstance(Fact):
    """One MIG device of one GPU. Memory in MiB; ids are None where the source leaves them out."""

    index: int  # of the GPU
    device: int | None = None
    profile: str = ""
    gpu_instance: int | None = None
    compute_instance: int | None = None
    memory_mib: float | None = None
    memory_used_mib: float | None = None
    uuid: str = ""
    placement: str = ""
    ecc_uncorrected: int | None = None


@dataclass(frozen=True, slots=True)
class NicPath(Fact):
    """How one GPU reaches one network adapter, in the words of ``nvidia-smi topo -m``.

    ``kind`` is pix, pxb, pxn, phb, node, sys in lower case.
    """

    index: int
    nic: str
    kind: str


@dataclass(frozen=True, slots=True)
class PeerAccess(Fact):
    """Whether one GPU may do one thing with another (``nvidia-smi topo -p2p``).

    ``capability`` is r, w, n, a, p (read, write, NVLink, atomics, PCIe); ``status`` is OK or the
    tool's word for why not (CNS, GNS, TNS, NS, DR).
    """

    source: int
    target: int
    capability: str
    status: str


@dataclass(frozen=True, slots=True)
class NvlinkState(Fact):
    """The NVLinks of one GPU together. ``note`` is what was said in place of links.

    ``supported`` is False when the tool says that the GPU has none, None when it would not tell.
    """

    index: int
    product: str = ""
    supported: bool | None = None
    links: int | None = None
    active: int | None = None
    note: str = ""

    @property
    def subject(self) -> str:
        """How findings name this GPU."""
        return f"gpu {self.index}"


@dataclass(frozen=True, slots=True)
class NvlinkErrors(Fact):
    """Error counters of one NVLink by the tool's names in lower case, and bit error rates.

    Older links count replay, recovery and CRC errors, those of Blackwell symbol and effective
    errors and link recovery events. "fec errors - 0" counts clean codewords.
    """

    index: int
    link: int
    counters: tuple[tuple[str, int], ...]
    rates: tuple[tuple[str, float], ...] = ()

    @property
    def subject(self) -> str:
        """How findings name this link."""
        return f"gpu {self.index} link {self.link}"


@dataclass(frozen=True, slots=True)
class NvlinkCapability(Fact):
    """Something that one NVLink can do ("P2P is supported"), or cannot."""

    index: int
    link: int
    name: str
    supported: bool | None


@dataclass(frozen=True, slots=True)
class TopologyNode(Fact):
    """One device of a topology that NCCL dumped or was given.

    ``kind`` is gpu, net, nvswitch, switch or other; PCI speed in GT/s, network speed in Mb/s.
    ``nvlinks`` are pairs of the other end's address and the number of links.
    """

    bdf: str
    kind: str
    numa_node: int | None = None
    upstream: str = ""
    gts: float | None = None
    width: int | None = None
    name: str = ""
    device: int | None = None
    rank: int | None = None
    net_mbits: int | None = None
    gpu_direct: bool | None = None
    nvlinks: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DriverGpu(Fact):
    """One GPU that the kernel driver has bound, from /proc/driver/nvidia/gpus."""

    bdf: str
    product: str = ""
    uuid: str = ""
    firmware: str = ""
    gsp_firmware: str = ""
    minor: int | None = None
    excluded: bool | None = None


@dataclass(frozen=True, slots=True)
class FabricLog(Fact):
    """How much of a fabric service's log was read, with the log's own stamps."""

    component: str
    lines: int
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class FabricEvent(Fact):
    """A warning or error in the log of fabric manager, counted."""

    whole: ClassVar[bool] = False

    component: str
    severity: str
    message: str
    first: str = ""
    last: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class ImexDomain(Fact):
    """The IMEX domain of an NVLink rack as one node sees it: UP, DEGRADED or DOWN."""

    state: str
    nodes: int
    ready: int


@dataclass(frozen=True, slots=True)
class ImexNode(Fact):
    """One member of an IMEX domain. ``connections`` are pairs of a host and its state."""

    whole: ClassVar[bool] = False

    host: str
    state: str
    version: str = ""
    name: str = ""
    connections: tuple[tuple[str, str], ...] = ()
