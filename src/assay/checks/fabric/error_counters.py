"""Error counters tell of bad cables; without a time base they only ask for a second look."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

COUNTERS = "/sys/class/infiniband/mlx5_4/ports/1/counters/"
# counter -> from where on it is more than an old scratch; the rest of the table is "above zero".
# A link goes down a few times when it is cabled and when its switch restarts.
ODD = {
    "symbol_error": 1,
    "link_error_recovery": 1,
    "link_downed": 1,
    "port_rcv_errors": 1,
    "local_link_integrity_errors": 1,
    "excessive_buffer_overrun_errors": 1,
    "port_rcv_constraint_errors": 1,
    "port_xmit_constraint_errors": 1,
}
MANY = {"link_downed": 10, "link_error_recovery": 10, "symbol_error": 1000, "port_rcv_errors": 1000}
# The 8- and 16-bit counters of the InfiniBand specification stop there and say nothing more.
STUCK = {"link_downed": 255, "link_error_recovery": 255, "symbol_error": 65535}


@check(
    "fabric.error-counters",
    asks="Are the error counters of the RDMA ports at zero?",
    severity=Severity.MEDIUM,
    why="Symbol errors and link recoveries precede a dead link, and each one stalls a collective.",
    fix="Clear the counters (perfquery -R) or read them again after an hour of load; replace the "
    "cable or transceiver of a port whose counters grow.",
    see=["https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-class-infiniband"],
    reproduce="grep . /sys/class/infiniband/*/ports/*/counters/{symbol_error,link_*}",
    plants=[
        plant(
            Edit(rdma_sysfs.PORT_COUNTERS.source, path=COUNTERS + "symbol_error", new="48211\n"),
            name="symbol errors",
        ),
        plant(
            Edit(rdma_sysfs.PORT_COUNTERS.source, path=COUNTERS + "link_downed", new="255\n"),
            name="a counter that is full",
        ),
    ],
)
def error_counters(ports: Sequence[RdmaPort]) -> Iterator[Verdict]:
    """Judge absolute counters: few are a remark, many or a full counter are more."""
    for port in ports:
        known = dict(port.counters or ())
        if not known.keys() & ODD.keys():
            if port.link_layer == "InfiniBand":
                yield unknown(port.subject, "its error counters could not be read")
            continue  # RoCE ports of some drivers have none of these
        bad = {name: known[name] for name, least in ODD.items() if known.get(name, 0) >= least}
        if not bad:
            yield passed(port.subject, f"{len(known.keys() & ODD.keys())} error counters are zero")
            continue
        full = [name for name in bad if bad[name] == STUCK.get(name)]
        grave = full or any(bad[name] >= MANY.get(name, 1 << 64) for name in bad)
        text = ", ".join(f"{name} {value}" for name, value in bad.items())
        note = f" ({full[0]} is full)" if full else ""
        yield failed(
            port.subject,
            f"{text}{note} since the counters were cleared, expected 0",
            severity=None if grave else Severity.LOW,
        )
