"""Network interfaces of the node: state, speed, faults."""

import re
from collections import defaultdict
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.quantity import integer
from assay.kit.reading import files, links
from assay.kit.seen import Seen, Unread
from assay.model.facts.network import LinkFlap, NetworkInterface, NicCounters
from assay.probes import ethtool, ip_link
from assay.probes.pasted import clean
from assay.probes.rdma_words import lines
from assay.probes.syslog_links import SYSLOG, flaps

NET = "/sys/class/net/"
_ATTRIBUTES = (
    "operstate,speed,mtu,carrier,carrier_changes,carrier_up_count,carrier_down_count,"
    "duplex,type,flags"
)
# An interface that has a device is a piece of hardware (or the hypervisor's): asking for its
# own name below its device leaves out the hundreds of veth pairs of a Kubernetes node.
INTERFACES = files(
    NET + f"{{*/device/net/*,bond*}}/{{{_ATTRIBUTES}}}", name="sysfs-network-interfaces"
)
DEVICES = links(NET + "*/{device,master}", name="sysfs-network-devices")
DRIVERS = links(NET + "*/device/driver", name="sysfs-network-drivers")
COUNTERS = files(
    "/proc/net/dev", name="proc-net-dev", looks_like=r"^Inter-\|\s+Receive.*\n[ \t]*face \|bytes.*$"
)

_COLLECTED = (INTERFACES, DEVICES, DRIVERS, COUNTERS)
_SAVED = (
    (ip_link.IP_LINK, ip_link.parse),
    (ethtool.SETTINGS, ethtool.settings),
    (ethtool.DRIVER, ethtool.driver),
)
# ARPHRD_* of include/uapi/linux/if_arp.h
_TYPES = {"1": "ethernet", "32": "infiniband", "772": "loopback"}
_BDF = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_COUNT = r"\d{1,18}"
_FORMS = {
    "operstate": r"[a-z]+", "speed": r"-?\d{1,18}", "mtu": _COUNT, "carrier": r"[01]",
    "carrier_changes": _COUNT, "carrier_up_count": _COUNT, "carrier_down_count": _COUNT,
    "duplex": r"full|half|unknown", "type": _COUNT, "flags": r"0x[0-9a-f]{1,8}",
}  # fmt: skip
# The columns of /proc/net/dev (net/core/net-procfs.c)
_COLUMNS = (
    "rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo_errors", "rx_frame_errors",
    "rx_compressed", "multicast", "tx_bytes", "tx_packets", "tx_errors", "tx_dropped",
    "tx_fifo_errors", "collisions", "tx_carrier_errors", "tx_compressed",
)  # fmt: skip
_KEPT = frozenset(_COLUMNS) - {
    "rx_compressed",
    "tx_compressed",
    "multicast",
    "rx_bytes",
    "tx_bytes",
}


@probe("network.interfaces", reads=[*_COLLECTED, *(reading for reading, _ in _SAVED)])
def interfaces(seen: Seen) -> Iterator[NetworkInterface]:
    """Interfaces that are hardware or bonds of hardware."""
    for reading, parse in _SAVED:
        if seen.capture(reading) is not None:
            yield from parse(seen)
            return
    if seen.capture(INTERFACES) is None and seen.capture(COUNTERS) is not None:
        for name, counters in _counters(seen).items():
            yield NetworkInterface(name, counters=counters)
        return
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path, value in seen.values(INTERFACES, _FORMS):
        name, attribute = path.rsplit("/", 2)[-2:]
        found[name][attribute] = value
    missing, tables = "", dict[str, tuple[tuple[str, int], ...]]()
    try:
        tables = _counters(seen)
    except Unread as reason:
        missing = str(reason)
    bdf, master, drivers = _places(seen)
    for name, said in sorted(found.items()):
        yield _interface(
            name,
            said,
            tables.get(name),
            (bdf.get(name, ""), master.get(name, ""), drivers.get(name, "")),
        )
    if missing and found:
        raise Unread(missing)


def _interface(
    name: str,
    said: dict[str, str],
    counters: tuple[tuple[str, int], ...] | None,
    places: tuple[str, str, str],
) -> NetworkInterface:
    speed = integer(said.get("speed"))
    flags = said.get("flags", "")
    up = bool(int(flags, 16) & 1) if re.fullmatch(r"0x[0-9a-f]{1,8}", flags) else None  # IFF_UP
    return NetworkInterface(
        name,
        kind=_TYPES.get(said.get("type", ""), ""),
        up=up,
        operstate=said.get("operstate", ""),
        carrier={"1": True, "0": False}.get(said.get("carrier", "")),
        speed_mbits=speed if speed is not None and speed > 0 else None,  # -1 is "unknown"
        duplex=said.get("duplex", "") if said.get("duplex") in ("full", "half") else "",
        mtu=integer(said.get("mtu")),
        carrier_changes=integer(said.get("carrier_changes")),
        carrier_ups=integer(said.get("carrier_up_count")),
        carrier_downs=integer(said.get("carrier_down_count")),
        driver=places[2],
        bdf=places[0],
        master=places[1],
        counters=counters,
    )


def _places(seen: Seen) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """PCI address, master and driver of each interface, as far as the node told."""
    bdf, master, drivers = dict[str, str](), dict[str, str](), dict[str, str]()
    for path, target in _linked(seen):
        name, _, what = path.removeprefix(NET).partition("/")
        last = target.strip().rsplit("/", 1)[-1]
        if what == "master":
            master[name] = last
        elif what == "device/driver":
            drivers[name] = last
        elif _BDF.fullmatch(last.lower()):
            bdf[name] = last.lower()
    return bdf, master, drivers


def _linked(seen: Seen) -> Iterator[tuple[str, str]]:
    for reading in (DEVICES, DRIVERS):
        if seen.capture(reading) is not None:
            yield from seen.files(reading)


def _counters(seen: Seen) -> dict[str, tuple[tuple[str, int], ...]]:
    text = clean(seen.file(COUNTERS) or "")
    found = {}
    for line in lines(text):
        name, colon, rest = line.partition(":")
        values = rest.split()
        if not colon or len(values) != len(_COLUMNS) or not all(v.isdecimal() for v in values):
            continue
        pairs = zip(_COLUMNS, values, strict=True)
        found[name.strip()] = tuple((key, int(v[:20])) for key, v in pairs if key in _KEPT)
    if not found:
        raise Unread("`/proc/net/dev` lists no interface")
    return found


@probe("network.driver-counters", reads=[ethtool.STATISTICS])
def driver_counters(seen: Seen) -> Iterator[NicCounters]:
    """The NIC driver's own counters, from a saved ethtool -S."""
    if seen.capture(ethtool.STATISTICS) is not None:
        yield from ethtool.statistics(seen)


@probe("network.link-flaps", reads=[SYSLOG])
def link_flaps(seen: Seen) -> Iterator[LinkFlap]:
    """Links that were lost and came back, from a saved system log."""
    if seen.capture(SYSLOG) is not None:
        yield from flaps(seen)
