"""A link that comes and goes kills long jobs one at a time, and looks fine in between."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.network import NetworkInterface
from assay.model.facts.system import Kernel
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes import network

DOWNS = "/sys/class/net/eno1np0/device/net/eno1np0/carrier_down_count"
# Booting costs an interface a few: driver, firmware, bond and MTU each take the link down once.
BOOTING = 5
MANY = 50
A_DAY = 86400.0


@check(
    "network.link-flaps",
    asks="Have the network links stayed up since boot?",
    severity=Severity.HIGH,
    why="Every loss of a link stalls or kills the collective that crosses it.",
    fix="Replace cable or transceiver, compare with the switch's log, read the counter again "
    "after a day.",
    see=["https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-net"],
    reproduce="grep . /sys/class/net/*/carrier_down_count; uptime",
    plants=[plant(Edit(network.INTERFACES.source, path=DOWNS, new="212\n"))],
)
def link_flaps(
    interfaces: Sequence[NetworkInterface], kernels: Sequence[Kernel] | None
) -> Iterator[Verdict]:
    """Count how often each interface lost its carrier, against the time since boot."""
    uptime = next((k.uptime_seconds for k in kernels or () if k.uptime_seconds), None)
    since = f" in {uptime / A_DAY:.1f} days" if uptime else " since boot"
    for interface in interfaces:
        if interface.kind not in ("ethernet", "infiniband"):
            continue
        lost = _lost(interface)
        if lost is None:
            continue  # some virtual drivers do not count
        text = f"lost its link {lost} times{since}"
        if lost <= BOOTING:
            yield passed(interface.name, text)
        else:
            grave = lost >= MANY
            yield failed(
                interface.name,
                f"{text}, at most {BOOTING} are a boot's own",
                severity=None if grave else Severity.LOW,
            )


def _lost(interface: NetworkInterface) -> int | None:
    if interface.carrier_downs is not None:
        return interface.carrier_downs
    if interface.carrier_changes is not None:
        return interface.carrier_changes // 2
    return None
