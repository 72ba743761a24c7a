"""The demo: eight sound H100 nodes and a few sick ones, made by planting the catalogue's faults."""

from collections.abc import Iterator, Sequence

from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.plants import apply
from assay.engine.target import Captured, Event, Options
from assay.kit.plant import Plant
from assay.kit.reading import Reading
from assay.model.evidence import Evidence
from assay.model.report import NodeRow, NodeState

SOUND = 8
# node -> the checks whose faults are planted there
SICK: dict[str, tuple[str, ...]] = {
    "gpu-009": ("health.gpu-faults",),
    "gpu-010": ("gpu.tool-answers",),
    "gpu-011": ("gpu.ecc-uncorrected", "gpu.row-remapping"),
    "gpu-012": ("gpu.not-throttled", "gpu.temperature"),
    "gpu-013": ("fabric.ports-active", "fabric.pkey-isolation"),
    "gpu-014": ("gpu.same-driver", "security.sshd-root-login", "containers.docker-tcp"),
    "gpu-015": ("system.locked-memory", "storage.space", "system.perf-events"),
}
LOST = NodeRow("gpu-016", NodeState.UNREAD, "down: not responding since 02:14 UTC", "down*")


class Demo:
    """A cluster that exists only on paper."""

    name = "demo cluster (synthetic)"

    def describe(self) -> Sequence[str]:
        """What will be done."""
        return ["judge a synthetic cluster that ships with Assay; no node is contacted"]

    def collect(self, readings: Sequence[Reading], options: Options) -> Iterator[Event]:
        """All nodes, the sound ones first."""
        del readings, options
        for evidence in nodes():
            for capture in evidence.captures.values():
                yield Captured(evidence.node, capture)
            yield NodeRow(evidence.node, NodeState.READ)
        yield LOST


def nodes() -> Iterator[Evidence]:
    """The evidence of every node that answered."""
    sound = host("hgx-h100")
    for number in range(1, SOUND + 1):
        yield Evidence(f"gpu-{number:03}", sound.captures)
    for node, checks in SICK.items():
        sick = sound
        for check in checks:
            sick = apply(plant_of(check), sick)
        yield Evidence(node, sick.captures)


def plant_of(id: str) -> Plant:
    """The first plant of the check called *id* on the H100 node."""
    check = catalogue().check(id)
    plants = [plant for plant in (check.plants if check else ()) if plant.host == "hgx-h100"]
    if not plants:
        raise LookupError(f"the demo plants {id}, which has no plant on hgx-h100")
    return plants[0]
