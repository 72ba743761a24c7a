"""A link that trained at a lower rate works, and halves every collective quietly."""

from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

RATE = "/sys/class/infiniband/mlx5_5/ports/1/rate"
FASTEST_SLOW = 200.0  # below this, parts are frontend cards and other checks compare them


@check(
    "fabric.port-rate",
    asks="Does every fast RDMA port run at the speed of its part?",
    severity=Severity.HIGH,
    why="A rail that trained at 100 Gb/s on a 400 Gb/s adapter slows all ranks down to itself.",
    fix="Reseat or replace the cable, check the switch port's speed setting and the adapter's "
    "firmware; compare with `mlxlink -d DEVICE`.",
    see=["https://docs.nvidia.com/networking/display/mftv4221526lts/mlxlink+Utility"],
    reproduce="cat /sys/class/infiniband/*/ports/*/rate",
    plants=[
        plant(
            Edit(rdma_sysfs.PORTS.source, path=RATE, new="100 Gb/sec (4X EDR)\n"),
            name="100 on a 400 adapter",
        ),
        plant(
            Edit(rdma_sysfs.PORTS.source, path=RATE, new="200 Gb/sec (2X NDR)\n"),
            name="half the lanes",
        ),
    ],
)
def port_rate(ports: Sequence[RdmaPort]) -> Iterator[Verdict]:
    """Compare the rate of active ports with the part's table."""
    nameless: dict[str, list[RdmaPort]] = {}
    for port in ports:
        if not parts.active(port):
            continue  # a port that is down prints a rate without meaning
        part = parts.PARTS.get(port.hca_type)
        if part is None:
            if port.link_layer == "InfiniBand":
                nameless.setdefault(port.hca_type or "of an unnamed part", []).append(port)
        elif port.link_layer == "InfiniBand" or part.full >= FASTEST_SLOW:
            known = port.rate is not None
            yield _one(port, part, ports) if known else unknown(port.subject, "no rate was read")
    for name, group in nameless.items():
        rates = ", ".join(sorted({f"{port.rate or 0:g} Gb/s" for port in group}))
        yield unknown(f"ports {name}", f"{len(group)} at {rates}; the part's speed is not known")


def _one(port: RdmaPort, part: parts.Part, ports: Sequence[RdmaPort]) -> Verdict:
    rate = port.rate or 0.0
    seen = f"{rate:g} Gb/s, {part.name} reaches {part.full:g}"
    if rate >= part.full:
        return passed(port.subject, seen)
    if rate not in part.slower:
        return failed(port.subject, f"{seen} and no card of it is sold with {rate:g}")
    faster = [p for p in ports if parts.key(p) == parts.key(port) and (p.rate or 0) > rate]
    if faster and port.board_id:
        return failed(port.subject, f"{seen}; {faster[0].subject} with the same card does")
    if port.board_id in parts.FULL_SPEED_BOARDS:
        return failed(port.subject, f"{seen}, and the card {port.board_id} is one that does")
    if parts.neighbour(port, ports) and rate * 2 >= part.full:
        return passed(port.subject, f"{rate:g} Gb/s on a {part.name} card with two ports")
    return unknown(
        port.subject, f"{seen}; cards with {rate:g} are sold too and the card is not known"
    )
