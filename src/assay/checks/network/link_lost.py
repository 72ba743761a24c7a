"""An interface that had a link and has none is a cable, a transceiver or a switch port."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.network import NetworkInterface
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import network

ETH = "/sys/class/net/eno2np1/device/net/eno2np1/"


@check(
    "network.link-lost",
    asks="Does every network interface that is in use have its link?",
    severity=Severity.MEDIUM,
    why="A bond with one leg still answers, at half the speed and without redundancy.",
    fix="Check cable, transceiver and switch port; set an unused interface administratively down.",
    see=["https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-net"],
    reproduce="ip -s link; grep . /sys/class/net/*/carrier*",
    plants=[
        plant(
            Edit(network.INTERFACES.source, path=ETH + "carrier", new="0\n"),
            Edit(network.INTERFACES.source, path=ETH + "operstate", new="down\n"),
        )
    ],
)
def link_lost(interfaces: Sequence[NetworkInterface]) -> Iterator[Verdict]:
    """Fail interfaces that are up, had a link since the driver was loaded and have none now."""
    for interface in interfaces:
        if interface.kind != "ethernet" or interface.up is False:
            continue
        if interface.carrier:
            yield passed(interface.name, "link detected")
        elif interface.carrier is None or interface.up is None:
            yield unknown(interface.name, "the kernel did not say whether it has a link")
        elif interface.master:
            yield failed(interface.name, f"no link, though it belongs to {interface.master}")
        elif interface.carrier_ups:
            yield failed(
                interface.name, f"no link now; it had one {interface.carrier_ups} times since boot"
            )
        # up and never linked: an empty port that the installer brought up
