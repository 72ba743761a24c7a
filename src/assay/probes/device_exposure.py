"""Devices, sockets and interfaces that a tenant could reach, with their permissions."""

import re
from collections.abc import Iterator

from assay.kit.pack import Entry
from assay.kit.probe import probe
from assay.kit.reading import Reading, listing
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.exposure import PathMode

# /dev/null and its neighbours prove that the listing saw a real /dev.
DEVICES = listing(
    "/dev/{null,zero,mem,kmem,port,kmsg,kvm,fuse,gdrdrv,knem,kfd,rshim*,ipmi*,ipmi/*,ipmidev/*,"
    "mst/*,fwctl/*,nvidia*,nvidia-caps-imex-channels/*,infiniband/*,"
    "sd*,nvme*,vd[a-z]*,dm-*,md[0-9]*,sg[0-9]*,tmfifo*,bmc*}",
    name="devices",
)
# The loopback proves that the listing saw the interfaces of this node.
INTERFACES = listing("/sys/class/net/{lo,tmfifo*}", name="dpu-interfaces")
SOCKETS = listing(
    "{/run/{docker.sock,containerd/containerd.sock,k3s/containerd/containerd.sock,"
    "crio/crio.sock,podman/podman.sock,libvirt/libvirt-sock},"
    "/run/rke2/containerd/containerd.sock}",
    name="engine-sockets",
)
_LINE = re.compile(r"([fdcblsp]) (0?[0-7]{3,5}) (\d+) (\d+) (\d+:\d+|-) (\d+|-)")


def paths(seen: Seen, reading: Reading, *, closed: bool = False) -> list[PathMode]:
    """Every path of a listing, or Unread: half a listing would prove absences that are none.

    With *closed*, what was denied to us is left out: it is closed to others just as well.
    """
    entries = seen.entries(reading)
    return [_path(e) for e in entries if not (closed and e.status == Status.DENIED)]


def _path(entry: Entry) -> PathMode:
    if entry.status != Status.ANSWERED:
        raise Unread(f"`{entry.path}`: {entry.status}")
    line = entry.data.decode("utf-8", "replace").strip()
    found = _LINE.fullmatch(line)
    if found is None:
        raise Unread(f"`{entry.path}` is listed as {line[:80]!r}")
    kind, mode, uid, gid, device, _ = found.groups()
    device = "" if device == "-" else device
    return PathMode(entry.path, kind, int(mode, 8), int(uid), int(gid), device)


@probe("security.devices", reads=[DEVICES])
def devices(seen: Seen) -> Iterator[PathMode]:
    """Device nodes of disks, memory, BMC, DPU, firmware tools, accelerators and RDMA."""
    found = paths(seen, DEVICES, closed=True)
    if not any(path.path == "/dev/null" for path in found) and not seen.absent(DEVICES):
        raise Unread("the listing of /dev shows not even /dev/null")
    yield from found


@probe("security.interfaces", reads=[INTERFACES])
def interfaces(seen: Seen) -> Iterator[PathMode]:
    """Interfaces to the processor of a DPU, and the loopback."""
    yield from paths(seen, INTERFACES)


@probe("security.sockets", reads=[SOCKETS])
def sockets(seen: Seen) -> Iterator[PathMode]:
    """Sockets of container engines and of libvirt."""
    yield from paths(seen, SOCKETS, closed=True)
