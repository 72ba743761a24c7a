"""Adapters and disks keep their link speed; one that trained slower has a bad contact."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import disks, named, network_adapters, switch_uplinks
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.pci import PciDevice
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.pci import FUNCTIONS, ROOT


@check(
    "pci.link-speed",
    asks="Does every network adapter, disk and PCIe switch run its link at full speed?",
    severity=Severity.HIGH,
    why="A 400G adapter on a link of half the speed cannot reach line rate. Idle accelerators "
    "slow their links down by design, so they are not judged here.",
    fix="Reseat the board, check the slot's speed setting in the firmware, update the firmware "
    "of adapter and switch, then replace the part.",
    see=[
        "https://www.kernel.org/doc/html/latest/PCI/sysfs-pci.html",
        "https://man7.org/linux/man-pages/man8/lspci.8.html",
    ],
    reproduce="grep . /sys/bus/pci/devices/*/{current,max}_link_speed",
    plants=[
        plant(
            Edit(
                FUNCTIONS.source,
                path=ROOT + "0000:18:00.0/current_link_speed",
                new="16.0 GT/s PCIe\n",
            ),
            name="an adapter at half speed",
        ),
        plant(
            Edit(
                FUNCTIONS.source,
                path=ROOT + "0000:3e:00.0/current_link_speed",
                new="2.5 GT/s PCIe\n",
            ),
            name="a switch at the lowest speed",
        ),
    ],
)
def link_speed(devices: Sequence[PciDevice]) -> Iterator[Verdict]:
    """Compare the speed of each link with what both of its ends can do."""
    by_bdf = {device.bdf: device for device in devices}
    watched = (network_adapters(devices), disks(devices), switch_uplinks(devices))
    for device in {d.bdf: d for group in watched for d in group}.values():
        speed, most = device.speed, device.speed_max
        if not speed or not most or not device.width:
            continue  # virtual adapters show no link
        slot = by_bdf.get(device.upstream)
        both = min(most, (slot.speed_max if slot else None) or most)
        if speed < both:
            yield failed(named(device), f"{speed:g} GT/s, both ends of the link have {both:g}")
        elif speed < most:
            why = f"{speed:g} GT/s is all that the slot has; the part has {most:g}"
            yield failed(named(device), why, severity=Severity.LOW)
        else:
            yield passed(named(device), f"{speed:g} GT/s, all that the part has")
