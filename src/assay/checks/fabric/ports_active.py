"""A rail that is down takes an accelerator's bandwidth away, or hangs the job."""

from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

PORT = "/sys/class/infiniband/mlx5_3/ports/1/"
# drivers/infiniband/core/sysfs.c: every logical and physical state that a kernel can print
STATES = {"nop", "down", "init", "armed", "active", "activedefer"}
PHYSICAL = {
    "sleep", "polling", "disabled", "portconfigurationtraining", "linkup", "linkerrorrecovery",
    "phytest",
}  # fmt: skip
WHY = {
    "init": "the link is up but no subnet manager has configured it",
    "armed": "the subnet manager has not finished with it",
    "polling": "no signal from the other end: cable, transceiver or switch port",
    "disabled": "it is switched off, or nothing is plugged in",
}


@check(
    "fabric.ports-active",
    asks="Is every RDMA port of the node active?",
    severity=Severity.HIGH,
    why="A job uses all rails of a node or waits for the missing one; 7 of 8 is not 87 %.",
    fix="Look at the cable, the transceiver and the switch port; for Init start the subnet "
    "manager; take the node out of service until all rails are up.",
    see=["https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-class-infiniband"],
    reproduce="ibstat; rdma link",
    plants=[
        plant(
            Edit(rdma_sysfs.PORTS.source, path=PORT + "state", new="1: DOWN\n"),
            Edit(rdma_sysfs.PORTS.source, path=PORT + "phys_state", new="2: Polling\n"),
            name="one rail without a signal",
        ),
        plant(
            Edit(rdma_sysfs.PORTS.source, path=PORT + "state", new="2: INIT\n"),
            name="a rail that no subnet manager configured",
        ),
    ],
)
def ports_active(ports: Sequence[RdmaPort]) -> Iterator[Verdict]:
    """Read the state of every port, and count what is up among ports of the same kind."""
    rails = {port.subject for port in parts.rails(ports)}
    for group, members in parts.groups(ports).items():
        up = sum(parts.active(port) for port in members)
        tally = f"{up} of {len(members)} ports of {parts.title(group)} are active"
        for port in members:
            rail = port.subject in rails and not parts.neighbour(port, members)
            yield _one(port, tally, rail=rail)


def _one(port: RdmaPort, tally: str, *, rail: bool) -> Verdict:
    seen = f"{port.state or 'state unknown'}/{port.physical_state or 'physical state unknown'}"
    if port.state == "active" and port.physical_state == "linkup":
        return passed(port.subject, f"active/linkup; {tally}")
    if port.state not in STATES or port.physical_state not in PHYSICAL | {""}:
        return unknown(port.subject, f"{seen} is no state that Assay knows")
    if port.state == "active" and not port.physical_state:
        return unknown(port.subject, "active, but its physical state could not be read")
    if not rail and port.roce:
        # the second port of a card, or a frontend: the checks of interfaces look after those
        return not_applicable(port.subject, f"{seen}: an Ethernet port that is no rail")
    why = WHY.get(port.state) or WHY.get(port.physical_state) or "expected active/linkup"
    severity = None if rail else Severity.LOW  # the second port of a card is often not cabled
    return failed(port.subject, f"{seen}: {why}; {tally}", severity=severity)
