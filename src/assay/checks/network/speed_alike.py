"""The same port of equal nodes should run at the same speed."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.network import NetworkInterface
from assay.model.finding import Verdict
from assay.model.outcome import Outcome, Severity
from assay.probes import network

SPEED = "/sys/class/net/eno1np0/device/net/eno1np0/speed"


@check(
    "network.speed-alike",
    asks="Does each Ethernet interface run at the speed that it has on the other nodes?",
    severity=Severity.MEDIUM,
    why="One node at 10 Gb/s where the others have 100 is slow at every pull and checkpoint.",
    fix="Check the transceiver and the switch port's speed; compare with `ethtool INTERFACE`.",
    see=["https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-net"],
    reproduce="grep . /sys/class/net/*/speed",
    plants=[plant(Edit(network.INTERFACES.source, path=SPEED, new="10000\n"))],
)
def speed_alike(fleet: Fleet[NetworkInterface]) -> Iterator[Verdict]:
    """Compare speeds by interface name; slower than most of the others is odd."""
    speeds: dict[str, dict[str, int]] = defaultdict(dict)
    for group in fleet:
        for interface in group.facts:
            if interface.kind == "ethernet" and interface.carrier and interface.speed_mbits:
                for node in group.nodes:
                    speeds[interface.name][node] = interface.speed_mbits
    for name, by_node in sorted(speeds.items()):
        if len(by_node) > 1:
            yield from _compare(name, by_node)


def _compare(name: str, by_node: dict[str, int]) -> Iterator[Verdict]:
    usual, number = max(Counter(by_node.values()).items(), key=lambda item: (item[1], item[0]))
    slower: dict[int, list[str]] = defaultdict(list)
    for node, speed in by_node.items():
        if speed < usual:
            slower[speed].append(node)
    for speed, nodes in sorted(slower.items()):
        because = f"{speed} Mb/s, {number} of {len(by_node)} nodes have {usual}"
        yield Verdict(Outcome.FAIL, name, because, nodes=tuple(nodes))
    fine = tuple(node for node, speed in by_node.items() if speed >= usual)
    yield Verdict(Outcome.PASS, name, f"{usual} Mb/s", nodes=fine)
