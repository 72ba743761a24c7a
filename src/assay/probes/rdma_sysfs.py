"""RDMA devices as the kernel shows them under /sys/class/infiniband."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.kit.reading import Reading, files, links, listing, saved
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.fabric import RdmaGid, RdmaPort
from assay.probes.pasted import clean
from assay.probes.rdma_words import pkey, rate, whole, word

ROOT = "/sys/class/infiniband/"
# Counters that tell of errors, loss or load. Every read costs the device a command, so not all.
COUNTERS = (
    "link_downed", "link_error_recovery", "symbol_error", "local_link_integrity_errors",
    "excessive_buffer_overrun_errors", "port_rcv_errors", "port_rcv_remote_physical_errors",
    "port_xmit_discards", "port_rcv_constraint_errors", "port_xmit_constraint_errors",
    "port_rcv_packets", "port_xmit_packets", "port_xmit_wait",
)  # fmt: skip
HW_COUNTERS = (
    "out_of_sequence", "out_of_buffer", "packet_seq_err", "local_ack_timeout_err",
    "rnr_nak_retry_err", "rx_icrc_encapsulated", "np_cnp_sent", "np_ecn_marked_roce_packets",
    "rp_cnp_handled", "roce_slow_restart",
)  # fmt: skip
# RoCE ports have up to 256 GIDs; the ones that libraries choose by themselves come first.
_SLOTS = ",".join(str(n) for n in range(16))

DEVICES = files(ROOT + "*/{fw_ver,hca_type,board_id,node_type}", name="sysfs-rdma-devices")
PORTS = files(
    ROOT + "*/ports/*/{state,phys_state,rate,link_layer,lid,sm_lid}", name="sysfs-rdma-ports"
)
PKEYS = files(ROOT + "*/ports/*/pkeys/*", name="sysfs-rdma-pkeys")
GIDS = files(
    ROOT + f"*/ports/*/{{gids,gid_attrs/types,gid_attrs/ndevs}}/{{{_SLOTS}}}",
    name="sysfs-rdma-gids",
)
_COUNTER_FILES = ",".join(
    [*(f"counters/{name}" for name in COUNTERS), *(f"hw_counters/{name}" for name in HW_COUNTERS)]
)
PORT_COUNTERS = files(ROOT + f"*/ports/*/{{{_COUNTER_FILES}}}", name="sysfs-rdma-counters")
PCI = links(ROOT + "*/device", name="sysfs-rdma-pci")
PHYSFN = links(ROOT + "*/device/physfn", name="sysfs-rdma-physfn")
NETDEVS = listing(ROOT + "*/device/net/*", name="sysfs-rdma-netdevs")
FLAT = saved(
    "sysfs-infiniband-flat",
    looks_like=r"^[ \t]*/sys/class/infiniband/[^/\s]+/\S+?\s*[=:]\s*\S.*$",
)

COLLECTED = (DEVICES, PORTS, PKEYS, GIDS, PORT_COUNTERS, PCI, PHYSFN, NETDEVS)

_FORMS = {
    "state": r"\d{1,2}: .+",
    "phys_state": r"\d{1,2}: .+",
    "rate": r"\d+(?:\.\d+)? Gb/sec.*",
    "link_layer": r"InfiniBand|Ethernet|Unspecified|Unknown",
    "lid": r"0x[0-9a-f]{1,8}",
    "sm_lid": r"0x[0-9a-f]{1,8}",
    "fw_ver": r"(?=.{0,80}$)(?:[\w.:/ +-]*\d[\w.:/ +-]*)?",  # drivers in software have none
    "hca_type": r"[\w.: /+-]*",
    "board_id": r"[\w.: /+-]*",
    "node_type": r"\d{1,2}: .+",
    "pkeys/": r"0x[0-9a-f]{4}",
    "gids/": r"[0-9a-f:]{2,39}",
    "types/": r"IB/RoCE v1|RoCE v2|IB|\w+",
    "ndevs/": r"\S{1,15}",
    "counters/": r"\d{1,20}|N/A \(no PMA\)",
    "hw_counters/": r"-?\d{1,20}",
}
_BUILD = re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,5}(?!\d)")
_PORT = re.compile(r"([^/]+)/ports/(\d{1,3})/(.+)")
_DEVICE = re.compile(r"([^/]+)/([a-z_]+)")
_BDF = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_FLAT_LINE = re.compile(r"^[ \t]*(/sys/class/infiniband/[^\s=]+?)\s*[=:]\s?(.*)$", re.MULTILINE)


@dataclass(slots=True)
class Tree:
    """The files of /sys/class/infiniband, by device and port. A missing table stays None."""

    devices: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    ports: dict[tuple[str, int], dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    bdf: dict[str, str] = field(default_factory=dict)
    netdevs: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    virtual: set[str] | None = None
    pkeys_broken: set[tuple[str, int]] = field(default_factory=set)

    def put(self, path: str, text: str) -> None:
        """Take one file in."""
        rest = path.removeprefix(ROOT)
        if found := _PORT.fullmatch(rest):
            self.ports[found.group(1), int(found.group(2))][found.group(3)] = text.strip()
        elif found := _DEVICE.fullmatch(rest):
            self.devices[found.group(1)][found.group(2)] = text.strip()


def ports(seen: Seen) -> Iterator[RdmaPort]:
    """Every port of every RDMA device of the node."""
    tree = Tree()
    for reading in (PORTS, DEVICES):
        for path, text in seen.values(reading, _FORMS):
            tree.put(path, text)
    for device, about in tree.devices.items():  # Mellanox adapters always tell theirs
        version = about.get("fw_ver")
        mellanox = about.get("hca_type", "").startswith("MT")
        if mellanox and version is not None and not _BUILD.match(version):
            seen.lose(f"{ROOT}{device}/fw_ver", f"says {version[:40]!r}")
    missing = []
    for reading in (PKEYS, GIDS, PORT_COUNTERS):
        try:
            _table(seen, reading, tree)
        except Unread as reason:
            missing.append(str(reason))
    try:
        _places(seen, tree)
    except Unread as reason:
        missing.append(str(reason))
    yield from _facts(tree)
    if missing and tree.ports:
        raise Unread(missing[0])


def _table(seen: Seen, reading: Reading, tree: Tree) -> None:
    if reading is not PKEYS:
        for path, value in seen.values(reading, _FORMS):
            tree.put(path, value)
        return
    for entry in seen.entries(PKEYS):
        text = entry.data.decode("utf-8", "replace").strip()
        found = _PORT.fullmatch(entry.path.removeprefix(ROOT))
        if entry.status == Status.ANSWERED and re.fullmatch(_FORMS["pkeys/"], text):
            tree.put(entry.path, text)
        elif found:  # a table with a hole is none
            tree.pkeys_broken.add((found.group(1), int(found.group(2))))
            if entry.status != Status.FAILED:
                seen.lose(entry.path, f"{entry.status} {text[:40]!r}")


def _places(seen: Seen, tree: Tree) -> None:
    for path, target in seen.files(PCI):
        address = target.strip().rsplit("/", 1)[-1].lower()
        if _BDF.fullmatch(address):
            tree.bdf[path.removeprefix(ROOT).split("/")[0]] = address
    for entry in seen.entries(NETDEVS):
        device, _, name = entry.path.removeprefix(ROOT).partition("/device/net/")
        if name:
            tree.netdevs[device].append(name)
    virtual = {e.path.removeprefix(ROOT).split("/")[0] for e in seen.entries(PHYSFN)}
    tree.virtual = virtual


def flat(seen: Seen) -> Iterator[RdmaPort]:
    """The same from a dump of the files as ``path=value`` lines."""
    tree = Tree()
    for path, text in _FLAT_LINE.findall(clean(seen.text(FLAT))):
        tree.put(path, text)
    if not tree.ports:
        raise Unread("no port of an RDMA device is in it")
    yield from _facts(tree)


def _facts(tree: Tree) -> Iterator[RdmaPort]:
    for (device, port), said in sorted(tree.ports.items()):
        about = tree.devices.get(device, {})
        gbits, lanes, speed = rate(said.get("rate"))
        gids = _gids(said)
        names = tree.netdevs.get(device, [])
        yield RdmaPort(
            device,
            port,
            link_layer=_known(said.get("link_layer")),
            state=word(said.get("state")),
            physical_state=word(said.get("phys_state")),
            rate=gbits,
            width=lanes,
            speed=speed,
            firmware=_known(about.get("fw_ver")),
            hca_type=_known(about.get("hca_type")),
            board_id=_known(about.get("board_id")),
            lid=whole(said.get("lid")),
            sm_lid=whole(said.get("sm_lid")),
            pkeys=None if (device, port) in tree.pkeys_broken else _pkeys(said),
            gids=gids,
            counters=_counters(said),
            netdev=_netdev(gids, names),
            bdf=tree.bdf.get(device, ""),
            virtual=None if tree.virtual is None else device in tree.virtual,
        )


def _known(text: str | None) -> str:
    return "" if text is None or text.lower() in ("n/a", "unknown", "") else text


def _pkeys(said: Mapping[str, str]) -> tuple[str, ...] | None:
    table = {
        int(name[6:]): text
        for name, text in said.items()
        if name.startswith("pkeys/") and name[6:].isascii() and name[6:].isdigit()
    }
    if not table:
        return None
    if any(whole(text) is None for text in table.values()):
        return None  # an entry that is no key: the table was not read
    return tuple(dict.fromkeys(k for k in (pkey(table[n]) for n in sorted(table)) if k))


def _gids(said: Mapping[str, str]) -> tuple[RdmaGid, ...] | None:
    found = []
    looked = False
    for name, text in said.items():
        if not (name.startswith("gids/") and name[5:].isascii() and name[5:].isdigit()):
            continue
        looked = True
        if re.fullmatch(r"[0:]+", text) or not text:
            continue  # an empty slot
        slot = name[5:]
        kind = said.get(f"gid_attrs/types/{slot}", "")
        found.append(RdmaGid(int(slot), text, kind, said.get(f"gid_attrs/ndevs/{slot}", "")))
    return tuple(sorted(found, key=lambda gid: gid.index)) if looked else None


def _netdev(gids: tuple[RdmaGid, ...] | None, names: list[str]) -> str:
    named = next((gid.netdev for gid in gids or () if gid.netdev), "")
    return named or (names[0] if len(names) == 1 else "")


def _counters(said: Mapping[str, str]) -> tuple[tuple[str, int], ...] | None:
    found = {}
    for name, text in said.items():
        folder, _, counter = name.rpartition("/")
        value = whole(text) if folder in ("counters", "hw_counters") else None
        if value is not None:
            found[counter] = value
    return tuple(sorted(found.items())) or None
