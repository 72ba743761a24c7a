"""One node with another library than its neighbours makes jobs fail one time in ten."""

from collections import defaultdict
from collections.abc import Iterator

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.software import Software
from assay.model.finding import Verdict, passed
from assay.model.outcome import Outcome, Severity
from assay.probes.software_libraries import LIBRARIES

COMPARED = (
    "containerd", "cuda-toolkit", "dcgm", "docker", "enroot", "gdrcopy", "hpcx", "kubelet",
    "libnvidia-container", "mlnx-ofed", "nccl", "nvidia-container-toolkit", "openmpi", "rccl",
    "rocm", "runc", "slurm",
)  # fmt: skip


@check(
    "software.versions-agree",
    asks="Do all nodes have the same versions of libraries, runtimes and scheduler?",
    severity=Severity.MEDIUM,
    why="Nodes drift apart when one is rebuilt or left out of an update: jobs then hang or slow "
    "down only where that node takes part, and a fix is missing where nobody looks.",
    fix="Re-image the nodes that differ, and hold versions in the image.",
    see=["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"],
    reproduce="srun -N ALL bash -c 'ls -l /usr/lib/*/libnccl.so.2'",
    plants=[
        plant(
            Edit(
                LIBRARIES.source,
                path="/usr/lib/x86_64-linux-gnu/libnccl.so.2",
                old="libnccl.so.2.27.7",
                new="libnccl.so.2.21.5",
            )
        ),
    ],
)
def versions_agree(software: Fleet[Software]) -> Iterator[Verdict]:
    """Sets of versions of each component, among the nodes that have it."""
    nodes_of: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    unread: dict[str, list[str]] = defaultdict(list)
    for group in software:
        found: dict[str, set[str]] = defaultdict(set)
        for tool in group.facts:
            if tool.component in COMPARED and tool.version:
                found[tool.component].add(tool.version)
            elif tool.component in COMPARED:
                unread[tool.component] += group.nodes
        for component, versions in found.items():
            nodes_of[component][" and ".join(sorted(versions))] += group.nodes
    for component, by_version in sorted(nodes_of.items()):
        if sum(len(nodes) for nodes in by_version.values()) > 1:
            yield from _judge(component, by_version)
    for component, nodes in sorted(unread.items()):
        with_it = {node for there in nodes_of[component].values() for node in there}
        if len(with_it.union(nodes)) > 1:
            because = "its version could not be read"
            told = tuple(dict.fromkeys(nodes))
            yield Verdict(Outcome.UNKNOWN, component, because, nodes=told)


def _judge(component: str, by_version: dict[str, list[str]]) -> Iterator[Verdict]:
    usual = max(by_version, key=lambda version: (len(by_version[version]), version))
    if len(by_version) == 1:
        agreed = passed(component, f"{usual} on {len(by_version[usual])} nodes")
        yield Verdict(Outcome.PASS, component, agreed.because, nodes=tuple(by_version[usual]))
        return
    for version, nodes in sorted(by_version.items()):
        if version != usual:
            because = f"{version} here, {usual} on {len(by_version[usual])} nodes"
            yield Verdict(Outcome.FAIL, component, because, nodes=tuple(nodes))
