"""Damaged frames mean a bad cable or transceiver; dropped ones a host that is too slow."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.network import NetworkInterface
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import network

# IEEE 802.3 asks for a bit error rate of 1e-12: about 1e-8 of full frames. A hundred times that
# is a fault, and fewer than ten errors are no rate at all.
WORST = 1e-6
FEW = 10


@check(
    "network.interface-errors",
    asks="Do the physical interfaces receive and send frames without errors?",
    severity=Severity.MEDIUM,
    why="TCP hides damaged frames by sending again: storage and image pulls get slow.",
    fix="Replace cable or transceiver, look at `ethtool -S` for the kind of error.",
    see=["https://www.kernel.org/doc/html/latest/networking/statistics.html"],
    reproduce="ip -s link",
    plants=[
        plant(
            Edit(
                network.COUNTERS.source,
                old="eno1np0: 918273645546 712345678    0",
                new="eno1np0: 918273645546 712345678 91827",
            )
        )
    ],
)
def interface_errors(interfaces: Sequence[NetworkInterface]) -> Iterator[Verdict]:
    """Set errors against packets, in both directions."""
    for interface in interfaces:
        if interface.kind not in ("ethernet", "infiniband") or not interface.carrier:
            continue
        if interface.counters is None:
            yield unknown(interface.name, "its counters could not be read")
            continue
        known = dict(interface.counters)
        bad = []
        for side in ("rx", "tx"):
            errors, packets = known.get(f"{side}_errors", 0), known.get(f"{side}_packets", 0)
            if errors >= FEW and errors > WORST * packets:
                bad.append(f"{errors} {side} errors in {packets} packets")
        if bad:
            yield failed(interface.name, f"{' and '.join(bad)}, at most one in a million")
        else:
            errors = known.get("rx_errors", 0) + known.get("tx_errors", 0)
            yield passed(interface.name, f"{errors} errors in {known.get('rx_packets', 0)} packets")
