"""What ibstat, ibstatus and ibv_devinfo print about RDMA ports."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.quantity import integer, number
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.fabric import RdmaGid, RdmaPort
from assay.probes.pasted import clean
from assay.probes.rdma_words import lane_speed, lanes, lines, nominal, rate, whole, word

# What every tool of infiniband-diags prints in place of an answer.
COMPLAINT = re.compile(
    r"^[ \t]*(?:\w+: )?(?:ib(?:panic|warn|error): \[\d+\]|iberror: failed:) (.*\S)", re.MULTILINE
)
IBSTAT = saved(
    "ibstat",
    looks_like=r"^[ \t]*CA '[^'\n]*'\s?\n[ \t]*CA type:.*$|" + COMPLAINT.pattern + r".*$",
)
IBSTATUS = saved(
    "ibstatus",
    looks_like=r"^[ \t]*Infiniband device '[^']*' port \d+ status:\s?\n[ \t]*default gid:.*$",
)
IBV_DEVINFO = saved("ibv_devinfo", looks_like=r"^[ \t]*hca_id:\s+\S+\s?\n[ \t]*transport:.*$")

_PAIR = re.compile(r"^[ \t]*([A-Za-z][A-Za-z _]*?)\s*:\s*(.*)$")
_GID = re.compile(r"^[ \t]*GID\[\s*(\d{1,4})\]:\s*([0-9a-fA-F:.]+)(?:,\s*(\S.*?))?\s?$")


def ibstat(seen: Seen) -> Iterator[RdmaPort]:
    """Ports by device, from ibstat."""
    device, about, port, said = "", dict[str, str](), 0, dict[str, str]()
    found = 0
    for line in lines(clean(seen.text(IBSTAT))):
        start = re.match(r"\s*CA '([^']*)'", line)
        number_ = re.match(r"\s*Port (\d{1,3}):\s?$", line)
        if start or number_:
            if said:
                found += 1
                yield _ibstat_port(device, about, port, said)
            said = {}
            if start:
                device, about, port = start.group(1), {}, 0
            elif number_:
                port = int(number_.group(1))
        elif device and (pair := _PAIR.match(line)) and not line.lstrip().startswith("ib"):
            (said if port else about)[pair.group(1).lower()] = pair.group(2)
    if said:
        found += 1
        yield _ibstat_port(device, about, port, said)
    if not found:
        raise Unread("ibstat printed no port")


def _ibstat_port(
    device: str, about: Mapping[str, str], port: int, said: Mapping[str, str]
) -> RdmaPort:
    gbits, width, speed = rate(said.get("rate"))
    layer = said.get("link layer", "")
    return RdmaPort(
        device,
        port,
        link_layer={"IB": "InfiniBand"}.get(layer, layer),
        state=word(said.get("state")),
        physical_state=word(said.get("physical state")),
        rate=gbits,
        width=width,
        speed=speed,
        firmware=about.get("firmware version", ""),
        hca_type=about.get("ca type", ""),
        lid=whole(said.get("base lid")),
        sm_lid=whole(said.get("sm lid")),
    )


def ibstatus(seen: Seen) -> Iterator[RdmaPort]:
    """Ports, from ibstatus."""
    blocks = re.split(
        r"^[ \t]*Infiniband device '([^']*)' port (\d{1,3}) status:[ \t]*$",
        clean(seen.text(IBSTATUS)),
        flags=re.MULTILINE,
    )
    for device, port, text in zip(blocks[1::3], blocks[2::3], blocks[3::3], strict=True):
        said = {
            pair.group(1).lower(): pair.group(2)
            for line in lines(text)
            if (pair := _PAIR.match(line))
        }
        gid = said.get("default gid", "")
        gbits, width, speed = rate(said.get("rate"))
        yield RdmaPort(
            device,
            int(port),
            link_layer=said.get("link_layer", ""),
            state=word(said.get("state")),
            physical_state=word(said.get("phys state")),
            rate=gbits,
            width=width,
            speed=speed,
            lid=whole(said.get("base lid")),
            sm_lid=whole(said.get("sm lid")),
            gids=(RdmaGid(0, gid),) if gid.count(":") > 1 else None,
        )
    if len(blocks) < 3:
        raise Unread("ibstatus printed no port")


def ibv_devinfo(seen: Seen) -> Iterator[RdmaPort]:
    """Ports, from ibv_devinfo with or without -v."""
    found = False
    devices = re.split(
        r"^[ \t]*hca_id:\s*(\S+)\s?$", clean(seen.text(IBV_DEVINFO)), flags=re.MULTILINE
    )
    for device, text in zip(devices[1::2], devices[2::2], strict=True):
        parts = re.split(r"^[ \t]*port:\s*(\d{1,3})\s?$", text, flags=re.MULTILINE)
        about = _pairs(parts[0])
        for port, block in zip(parts[1::2], parts[2::2], strict=True):
            found = True
            yield _devinfo_port(device, about, int(port), block)
    if not found:
        raise Unread("ibv_devinfo printed no port")


def _pairs(text: str) -> dict[str, str]:
    return {
        pair.group(1).lower(): pair.group(2) for line in lines(text) if (pair := _PAIR.match(line))
    }


def _devinfo_port(device: str, about: Mapping[str, str], port: int, block: str) -> RdmaPort:
    said = _pairs(block)
    width, speed = lanes(said.get("active_width")), lane_speed(said.get("active_speed"))
    gids = [m.groups() for line in lines(block) if (m := _GID.match(line))]
    part = integer(about.get("vendor_part_id"))
    mellanox = whole(about.get("vendor_id")) == 0x02C9
    return RdmaPort(
        device,
        port,
        link_layer=said.get("link_layer", ""),
        state=word(said.get("state")),
        physical_state=word(said.get("phys_state")),
        rate=nominal(width, speed),
        width=width,
        speed=speed,
        mtu=_mtu(said.get("active_mtu")),
        firmware=about.get("fw_ver", ""),
        hca_type=f"MT{part}" if mellanox and part is not None else "",
        board_id=about.get("board_id", ""),
        lid=whole(said.get("port_lid")),
        sm_lid=whole(said.get("sm_lid")),
        gids=tuple(RdmaGid(int(at), gid, kind or "") for at, gid, kind in gids) or None,
    )


def _mtu(text: str | None) -> int | None:
    value = number((text or "").split("(")[0])
    return int(value) if value is not None and value > 0 else None
