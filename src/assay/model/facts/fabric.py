"""The scale-out fabric: RDMA ports of a node, and what the subnet says about itself."""

from dataclasses import dataclass

from assay.model.fact import Fact

Counters = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RdmaGid:
    """One entry of a port's GID table. ``type`` is "IB/RoCE v1", "RoCE v2" or ""."""

    index: int
    gid: str
    type: str = ""
    netdev: str = ""

    @property
    def ipv4(self) -> bool:
        """True for a GID made of an IPv4 address."""
        return self.gid.lower().startswith(("0000:0000:0000:0000:0000:ffff:", "::ffff:"))


@dataclass(frozen=True, slots=True)
class RdmaPort(Fact):
    """One port of one RDMA device, of any maker. Rate in Gb/s, width in lanes, MTU in bytes.

    ``link_layer`` is ``InfiniBand``, ``Ethernet`` (that is RoCE), or the kernel's word. States
    are lower case without separators: ``active``, ``down``, ``init``, ``armed``; ``linkup``,
    ``polling``, ``disabled``, ``sleep``. P_Keys are written 0x8012, empty entries left out: ()
    is an empty table, None is a table that was not read. ``counters`` have the kernel's names.
    """

    device: str
    port: int
    link_layer: str = ""
    state: str = ""
    physical_state: str = ""
    rate: float | None = None
    width: int | None = None
    speed: str = ""  # NDR, HDR, ...
    mtu: int | None = None
    firmware: str = ""
    hca_type: str = ""  # MT4129 is a ConnectX-7
    board_id: str = ""  # the maker's part: PSID
    lid: int | None = None
    sm_lid: int | None = None
    pkeys: tuple[str, ...] | None = None
    gids: tuple[RdmaGid, ...] | None = None
    counters: Counters | None = None
    netdev: str = ""
    bdf: str = ""
    virtual: bool | None = None  # an SR-IOV virtual function

    @property
    def subject(self) -> str:
        """How findings name this port."""
        return f"{self.device}/{self.port}"

    @property
    def roce(self) -> bool:
        """RDMA over Ethernet."""
        return self.link_layer == "Ethernet"


@dataclass(frozen=True, slots=True)
class RdmaDeviceNode(Fact):
    """A device node under /dev/infiniband. ``mode`` holds the permission bits."""

    path: str
    type: str
    mode: int
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class FabricNode(Fact):
    """A switch, host adapter or router of the subnet. ``kind``: switch, ca, router."""

    kind: str
    guid: str
    name: str
    ports: int | None = None
    lid: int | None = None
    device_id: str = ""
    vendor_id: str = ""


@dataclass(frozen=True, slots=True)
class FabricLink(Fact):
    """One end of one cable as its owner sees it; peer fields are "" or None for a dead port.

    ``rate`` is Gb/s over all lanes, nominal (4X NDR is 400).
    """

    node: str  # GUID
    name: str
    port: int
    lid: int | None = None
    width: int | None = None
    speed: str = ""
    rate: float | None = None
    state: str = ""
    physical_state: str = ""
    peer: str = ""
    peer_name: str = ""
    peer_port: int | None = None
    peer_lid: int | None = None
    remark: str = ""  # "Could be 12X": what the tool says about it


@dataclass(frozen=True, slots=True)
class FabricPortCounters(Fact):
    """Counters of one port read over the subnet; names as in sysfs (symbol_error, ...)."""

    node: str  # GUID, or "" where only the LID is known
    port: int | None  # None is all ports together
    counters: Counters
    name: str = ""
    lid: int | None = None


@dataclass(frozen=True, slots=True)
class FabricPort(Fact):
    """What a subnet management query says about a port, its keys included.

    ``m_key`` "0x0000000000000000" is no key; "" when the tool hides it. ``protect_bits`` 0 lets
    anybody read, 2 and 3 let nobody without the key.
    """

    lid: int | None
    port: int | None
    state: str = ""
    physical_state: str = ""
    width: int | None = None
    rate: float | None = None
    m_key: str = ""
    protect_bits: int | None = None
    m_key_violations: int | None = None
    p_key_violations: int | None = None
    sm_lid: int | None = None


@dataclass(frozen=True, slots=True)
class PartitionTable(Fact):
    """The P_Keys of one port, read over the subnet."""

    lid: int | None
    port: int | None
    pkeys: tuple[str, ...]
    block: int | None = None


@dataclass(frozen=True, slots=True)
class SubnetManager(Fact):
    """A subnet manager. ``state`` is master, standby, discovering, notactive."""

    lid: int | None
    guid: str
    priority: int | None
    state: str
    activity: int | None = None


@dataclass(frozen=True, slots=True)
class MulticastGroup(Fact):
    """A multicast group of the subnet: whose P_Key shows which partitions exist."""

    mgid: str
    pkey: str
    mlid: str = ""


@dataclass(frozen=True, slots=True)
class SwitchStatus(Fact):
    """An unmanaged switch about itself. Temperature in Celsius, power in watts, fans in rpm."""

    name: str
    part_number: str = ""
    psid: str = ""
    guid: str = ""
    firmware: str = ""
    ports: int | None = None
    uptime_seconds: int | None = None
    temperature_c: float | None = None
    temperature_max_c: float | None = None
    fans: str = ""
    fan_rpm: tuple[tuple[int, int], ...] = ()
    supplies: tuple[tuple[int, str], ...] = ()  # number and status of each power supply
    supply_watts: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class LinkQuality(Fact):
    """The physical layer of one port (mlxlink). Bit error rates are plain numbers."""

    device: str
    state: str
    physical_state: str
    speed: str = ""
    width: int | None = None
    fec: str = ""
    raw_ber: float | None = None
    effective_ber: float | None = None
    symbol_ber: float | None = None
    symbol_errors: int | None = None
    link_downs: int | None = None
    link_recoveries: int | None = None
    temperature_c: float | None = None
    cable: str = ""  # part number
    trouble: str = ""  # the tool's recommendation or status


@dataclass(frozen=True, slots=True)
class FabricBandwidth(Fact):
    """One line of a point-to-point RDMA benchmark.

    ``value`` is as printed, in ``unit`` (perftest's "MB/sec" is MiB/s); ``gbits`` is the same in
    Gb/s. Latencies are in microseconds, ``typical`` the median.
    """

    test: str  # write_bw, read_bw, send_bw, write_lat, ...
    device: str
    size: int  # bytes of a message
    iterations: int | None = None
    value: float | None = None
    unit: str = ""
    gbits: float | None = None
    peak: float | None = None
    typical_us: float | None = None
    average_us: float | None = None
    p99_us: float | None = None
    link_type: str = ""  # IB or Ethernet
    mtu: int | None = None
    qps: int | None = None
    bidirectional: bool | None = None
    gpu_direct: bool | None = None
