"""Half duplex is a failed negotiation: collisions and a fraction of the speed."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.network import NetworkInterface
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import network

ETH = "/sys/class/net/eno1np0/device/net/eno1np0/"


@check(
    "network.full-duplex",
    asks="Do all Ethernet links run at full duplex?",
    severity=Severity.MEDIUM,
    why="One side that negotiates and one that does not end in half duplex: late collisions, "
    "retransmissions, storage that stalls.",
    fix="Let both ends negotiate, or fix speed and duplex on both; replace the cable.",
    see=["https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-net"],
    reproduce="grep . /sys/class/net/*/duplex",
    plants=[plant(Edit(network.INTERFACES.source, path=ETH + "duplex", new="half\n"))],
)
def full_duplex(interfaces: Sequence[NetworkInterface]) -> Iterator[Verdict]:
    """Read the duplex of links that are up; virtual interfaces have neither speed nor duplex."""
    for interface in interfaces:
        if interface.kind != "ethernet" or not interface.carrier:
            continue
        if interface.duplex == "half":
            speed = f" at {interface.speed_mbits} Mb/s" if interface.speed_mbits else ""
            yield failed(interface.name, f"half duplex{speed}, expected full")
        elif interface.duplex == "full":
            yield passed(interface.name, "full duplex")
        elif interface.duplex or interface.speed_mbits:
            said = f"says {interface.duplex!r}" if interface.duplex else "does not say"
            yield unknown(interface.name, f"the driver {said} whether it is full or half duplex")
