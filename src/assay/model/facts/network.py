"""Network interfaces of a node, and how collectives are told to use them."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class NetworkInterface(Fact):
    """One network interface. Speed in Mb/s, MTU in bytes.

    ``kind`` is ``ethernet``, ``infiniband``, ``loopback`` or "". ``up`` is the administrator's
    wish, ``carrier`` what the wire says. ``counters`` count since the interface was created:
    pairs of the kernel's names (rx_packets, rx_errors, ...) and values.
    """

    name: str
    kind: str = ""
    up: bool | None = None
    operstate: str = ""
    carrier: bool | None = None
    speed_mbits: int | None = None
    duplex: str = ""
    mtu: int | None = None
    carrier_changes: int | None = None
    carrier_ups: int | None = None
    carrier_downs: int | None = None
    driver: str = ""
    firmware: str = ""
    bdf: str = ""
    master: str = ""  # the bond or bridge that it belongs to
    counters: tuple[tuple[str, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class NicCounters(Fact):
    """The driver's own counters of one interface (ethtool -S); "" where no name was printed."""

    interface: str
    counters: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class LinkFlap(Fact):
    """How often a log says that one link was lost and came back, with the log's own stamps."""

    interface: str
    lost: int
    gained: int
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class EthernetQos(Fact):
    """Lossless settings of one interface. None where the source did not say.

    ``pfc`` holds the priorities (0 to 7) with priority flow control, ``ecn_notify`` and
    ``ecn_react`` those for which RoCE congestion notification is on (at the receiver, at the
    sender), ``trust`` is "pcp" or "dscp".
    """

    interface: str
    pfc: tuple[int, ...] | None = None
    ecn_notify: tuple[int, ...] | None = None
    ecn_react: tuple[int, ...] | None = None
    trust: str = ""


@dataclass(frozen=True, slots=True)
class NcclSetting(Fact):
    """One setting of NCCL, RCCL, UCX or libfabric that holds for every user of the node."""

    name: str
    value: str
    path: str


@dataclass(frozen=True, slots=True)
class NetworkBandwidth(Fact):
    """One iperf3 result. Bits per second as the receiver counted them where it did."""

    tool: str
    protocol: str
    bits_per_second: float
    seconds: float | None = None
    streams: int | None = None
    retransmits: int | None = None
    lost_percent: float | None = None
    reverse: bool | None = None
