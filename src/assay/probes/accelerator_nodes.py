"""Device files of accelerators that are not NVIDIA's, and who may open them."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import listing
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.device import DeviceNode

# /dev/null proves that the listing saw a real /dev.
NODES = listing(
    "/dev/{null,kfd,dri/renderD*,accel[0-9]*,accel/accel[0-9]*,vfio/[0-9]*,hl[0-9]*,neuron[0-9]*,"
    "davinci[0-9]*,davinci_manager}",
    name="accelerator-nodes",
)
_LINE = re.compile(r"([fdcblsp]) (0?[0-7]{3,5}) (\d{1,10}) (\d{1,10}) \S+ \S+")


@probe("accelerator.device-nodes", reads=[NODES])
def nodes(seen: Seen) -> Iterator[DeviceNode]:
    """Device files of AMD, Google, Intel, AWS and Huawei accelerators."""
    found = 0
    for entry in seen.entries(NODES):
        line = entry.data.decode("utf-8", "replace").strip()
        about = _LINE.fullmatch(line)
        if entry.status != Status.ANSWERED or about is None:
            raise Unread(f"`{entry.path}`: {entry.status} {line[:60]!r}")
        found += 1
        kind, mode, user, group = about.groups()
        if entry.path != "/dev/null":
            yield DeviceNode(entry.path, kind, int(mode, 8), int(user), int(group))
    if not found and not seen.absent(NODES):
        raise Unread("the listing of /dev shows not even /dev/null")
