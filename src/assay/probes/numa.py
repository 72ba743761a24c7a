"""Memory nodes: which CPUs and how much memory each has, and how far apart they are."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.cpu import NumaNode
from assay.probes.kernel_values import by_folder, whole

ROOT = "/sys/devices/system/node/"
NUMA = files(ROOT + "node*/{cpulist,distance,meminfo}", name="numa")
_TOTAL = re.compile(r"MemTotal:\s+(\d{1,15}) kB")


@probe("system.numa", reads=[NUMA])
def numa(seen: Seen) -> Iterator[NumaNode]:
    """The memory nodes of this machine."""
    nodes = {
        whole(folder.removeprefix("node")): values
        for folder, values in by_folder(seen.files(NUMA), ROOT).items()
    }
    for node, values in sorted((n, v) for n, v in nodes.items() if n is not None):
        distances = [whole(word) for word in values.get("distance", "").split()]
        if None in distances:
            raise Unread(f"the distances of node {node} are not numbers")
        total = _TOTAL.search(values.get("meminfo", ""))
        yield NumaNode(
            node=node,
            cpus=values.get("cpulist", ""),
            memory=int(total.group(1)) * 1024 if total else None,
            distances=tuple(d for d in distances if d is not None),
        )
