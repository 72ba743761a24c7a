"""Ports that are usually trouble when the whole network can reach them."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import Listener
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.processes import LISTENERS

# What usually listens there, without asking who is calling.
OPEN_BY_DESIGN = {
    2375: "Docker's API without TLS",
    2379: "etcd",
    5555: "the DCGM host engine",
    6379: "Redis",
    8265: "the Ray dashboard, which runs jobs",
    9200: "Elasticsearch",
    10248: "the kubelet's health port",
    10255: "the kubelet's read-only port",
    11211: "memcached",
    27017: "MongoDB",
}


@check(
    "security.listening-ports",
    asks="Do services that ask for no password stay off the network?",
    severity=Severity.INFO,
    why="Programs that usually listen on these ports answer anybody who can reach them.",
    fix="Find the program with `sudo ss -ltnp`, bind it to 127.0.0.1 or to the management "
    "network, or put a firewall before it.",
    see=["https://cwe.mitre.org/data/definitions/306.html"],
    reproduce="ss -ltn",
    plants=[
        plant(
            Edit(
                LISTENERS.source,
                old="127.0.0.1:5555",
                new="0.0.0.0:5555",
            )
        )
    ],
)
def listening_ports(listeners: Sequence[Listener]) -> Iterator[Verdict]:
    """Ports by number only: a remark, because a number does not say who listens."""
    suspects = sorted({x.port for x in listeners if not x.local and x.port in OPEN_BY_DESIGN})
    for port in suspects:
        yield failed(
            HOST, f"something listens on port {port} beyond this node, usually "
            f"{OPEN_BY_DESIGN[port]}; who it is was not looked at"
        )  # fmt: skip
    if listeners and not suspects:
        beyond = sum(not listener.local for listener in listeners)
        yield passed(HOST, f"of {beyond} ports open beyond this node, none is a usual suspect")
