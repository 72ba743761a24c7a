"""Every accelerator wants a rail of its own; a lost adapter leaves one without."""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

GONE = [
    Edit(reading.source, old="/infiniband/mlx5_7/", new="/infinibanX/mlx5_7/", count=0)
    for reading in (
        rdma_sysfs.PORTS,
        rdma_sysfs.DEVICES,
        rdma_sysfs.PKEYS,
        rdma_sysfs.GIDS,
        rdma_sysfs.PORT_COUNTERS,
    )
]


@check(
    "fabric.rails-per-accelerator",
    asks="Do the rails divide evenly among the accelerators of the node?",
    severity=Severity.HIGH,
    why="An adapter that fell off the bus leaves no error on its port: it is just not counted, "
    "and one accelerator shares its neighbour's rail.",
    fix="Look for the missing adapter with lspci and in the kernel log; reseat or replace it.",
    see=["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"],
    reproduce="ls /sys/class/infiniband; nvidia-smi -L",
    plants=[plant(*GONE, name="an adapter fell off the bus")],
)
def rails_per_accelerator(
    ports: Sequence[RdmaPort], accelerators: Sequence[Accelerator]
) -> Iterator[Verdict]:
    """Count the ports of the main group against the accelerators of the node."""
    rails = parts.rails(ports)
    number = _count(accelerators)
    if not rails or number < 2:
        return  # a node without a scale-out fabric, or without accelerators
    seen = f"{len(rails)} rails of {parts.title(parts.key(rails[0]))}, {number} accelerators"
    if len(rails) < number and number % len(rails):
        yield failed(HOST, f"{seen}: they do not divide evenly, a rail is missing")
    else:
        yield passed(HOST, seen)


def _count(accelerators: Sequence[Accelerator]) -> int:
    """Devices of the vendor with the most; several tools may list the same one."""
    tally = Counter(vendor for vendor, _ in {(a.vendor, a.index) for a in accelerators})
    return max(tally.values(), default=0)
