"""Collectives run at the pace of the slowest rail; unlike rails are found one by one otherwise."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

SYS = "/sys/class/infiniband/"


@check(
    "fabric.rails-alike",
    asks="Do the ports of one kind of adapter in a node have the same rate, firmware and link?",
    severity=Severity.MEDIUM,
    why="An odd rail is a bad cable, a forgotten firmware update or a mode that was never set.",
    fix="Bring the odd port to what its neighbours have: mlxlink, mlxfwmanager, mlxconfig "
    "LINK_TYPE_P1.",
    see=["https://docs.nvidia.com/networking/display/mftv4221526lts/mlxlink+Utility"],
    reproduce="cd /sys/class/infiniband; grep . */fw_ver */ports/*/{rate,link_layer}",
    plants=[
        plant(
            Edit(rdma_sysfs.DEVICES.source, path=SYS + "mlx5_6/fw_ver", new="28.36.1010\n"),
            name="one adapter on old firmware",
        ),
        plant(
            Edit(rdma_sysfs.PORTS.source, path=SYS + "mlx5_6/ports/1/link_layer", new="Ethernet\n"),
            name="one adapter in the wrong mode",
        ),
    ],
)
def rails_alike(ports: Sequence[RdmaPort]) -> Iterator[Verdict]:
    """Compare every port with the majority of its group."""
    for group, members in parts.groups(ports).items():
        if len(members) < 2:
            continue
        name = parts.title(group)
        two_ports = any(parts.neighbour(port, members) for port in members)
        odd = [
            *_odd(members, "firmware", lambda p: p.firmware),
            # cards with two ports may carry InfiniBand on one and Ethernet on the other
            *(() if two_ports else _odd(members, "link layer", lambda p: p.link_layer)),
            *_odd(
                [port for port in members if parts.active(port)],
                "rate",
                lambda p: f"{p.rate:g} Gb/s" if p.rate is not None else "",
            ),
        ]
        yield from odd
        known = [p for p in members if p.firmware or p.rate is not None]
        if not odd and len(known) == len(members):
            first = members[0]
            yield passed(name, f"{len(members)} ports alike: firmware {first.firmware or '?'}")


def _odd(
    ports: Sequence[RdmaPort], what: str, value: Callable[[RdmaPort], str]
) -> Iterator[Verdict]:
    known = [(port, value(port)) for port in ports if value(port)]
    tally = Counter(seen for _, seen in known)
    if len(tally) < 2:
        return
    usual, times = max(tally.items(), key=lambda item: (item[1], item[0]))
    for port, seen in known:
        if seen != usual:
            yield failed(port.subject, f"{what} {seen}, {times} of {len(known)} have {usual}")
