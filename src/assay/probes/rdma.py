"""RDMA ports of the node, from whichever source this run has."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import listing
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.accelerator import VendorToolError
from assay.model.facts.fabric import RdmaDeviceNode, RdmaPort
from assay.probes import ibstat, rdma_sysfs, rdma_tool
from assay.probes.pasted import clean
from assay.probes.rdma_words import lines, whole

NODES = listing("/dev/infiniband/*", name="list-dev-infiniband")

# One probe for all forms: a port that two tools describe is still one port.
_SAVED = (
    (rdma_sysfs.FLAT, rdma_sysfs.flat),
    (ibstat.IBSTAT, ibstat.ibstat),
    (ibstat.IBSTATUS, ibstat.ibstatus),
    (ibstat.IBV_DEVINFO, ibstat.ibv_devinfo),
    (rdma_tool.LINK, rdma_tool.link),
    (rdma_tool.STATISTIC, rdma_tool.statistic),
    (rdma_tool.SHOW_GIDS, rdma_tool.gids),
)


@probe("fabric.rdma-ports", reads=[*rdma_sysfs.COLLECTED, *(reading for reading, _ in _SAVED)])
def ports(seen: Seen) -> Iterator[RdmaPort]:
    """RDMA ports: InfiniBand, RoCE, EFA and their like."""
    for reading, parse in _SAVED:
        if seen.capture(reading) is not None:
            yield from parse(seen)
            return
    yield from rdma_sysfs.ports(seen)


@probe("fabric.rdma-device-nodes", reads=[NODES])
def device_nodes(seen: Seen) -> Iterator[RdmaDeviceNode]:
    """Device nodes under /dev/infiniband and who may open them."""
    for entry in seen.entries(NODES):
        if entry.status != Status.ANSWERED:
            raise Unread(f"`{entry.path}`: {entry.status}")
        words = entry.data.decode("utf-8", "replace").split()
        mode = words[1] if len(words) >= 4 else ""
        uid, gid = (whole(words[2]), whole(words[3])) if mode else (None, None)
        if not (1 <= len(mode) <= 6 and set(mode) <= set("01234567")) or uid is None or gid is None:
            raise Unread(f"`{entry.path}`: {entry.data[:80]!r} is no listing entry")
        yield RdmaDeviceNode(entry.path, words[0], int(mode, 8), uid, gid)


@probe("fabric.rdma-tool-errors", reads=[ibstat.IBSTAT])
def tool_errors(seen: Seen) -> Iterator[VendorToolError]:
    """Complaints that infiniband-diags print in place of values."""
    if seen.capture(ibstat.IBSTAT) is None:
        return
    for line in lines(clean(seen.text(ibstat.IBSTAT))):
        complaint = ibstat.COMPLAINT.match(line)
        if complaint is not None:
            message = complaint.group(1)
            named = re.search(r"IB device '([^']+)' failed", message)
            denied = "permission" in message.lower()
            kind = "device-lost" if named else "no-permission" if denied else "other"
            device = named.group(1) if named else ""
            yield VendorToolError("nvidia", "infiniband-diags", kind, message, device=device)
