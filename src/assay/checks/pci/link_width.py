"""A link that trained with fewer lanes moves that much less, for ever and in silence."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import (
    accelerators,
    disks,
    named,
    network_adapters,
    switch_uplinks,
)
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.dmi import Virtualization
from assay.model.facts.pci import PciDevice
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.pci import FUNCTIONS, ROOT


@check(
    "pci.link-width",
    asks="Does every accelerator, network adapter, disk and PCIe switch use all of its lanes?",
    severity=Severity.HIGH,
    why="A x16 part on x8 has half its bandwidth to host, NIC and disk; nothing else reports it.",
    fix="Reseat the board or riser, compare the slot's wiring and bifurcation in the firmware "
    "setup, then replace the part.",
    see=[
        "https://www.kernel.org/doc/html/latest/PCI/sysfs-pci.html",
        "https://man7.org/linux/man-pages/man8/lspci.8.html",
    ],
    reproduce="grep . /sys/bus/pci/devices/*/{current,max}_link_width",
    plants=[
        plant(
            Edit(FUNCTIONS.source, path=ROOT + "0000:1b:00.0/current_link_width", new="8\n"),
            name="a GPU on half of its lanes",
        ),
        plant(
            Edit(FUNCTIONS.source, path=ROOT + "0000:52:00.0/current_link_width", new="63\n"),
            name="a GPU whose registers read as all ones",
        ),
        plant(
            Edit(FUNCTIONS.source, path=ROOT + "0000:3e:00.0/current_link_width", new="8\n"),
            name="the uplink of a PCIe switch",
        ),
    ],
)
def link_width(
    devices: Sequence[PciDevice], virtualization: Sequence[Virtualization]
) -> Iterator[Verdict]:
    """Compare the width of each link with what both of its ends can do."""
    computing = accelerators(devices)
    metal = any(v.virtual is False for v in virtualization)
    by_bdf = {device.bdf: device for device in devices}
    watched = (computing, network_adapters(devices), disks(devices), switch_uplinks(devices))
    for device in {d.bdf: d for group in watched for d in group}.values():
        slot = by_bdf.get(device.upstream)
        important = device in computing
        yield from _judge(device, slot.width_max if slot else None, important, metal)


def _judge(device: PciDevice, slot: int | None, important: bool, metal: bool) -> Iterator[Verdict]:
    name, width, most = named(device), device.width, device.width_max
    if width == 0 and most and metal:
        yield failed(name, f"no link, or the device does not answer; the part has x{most}")
    elif not width or not most:
        if important:
            verdict = unknown if metal else not_applicable
            yield verdict(name, f"width x{width or '?'} of x{most or '?'}: no link is shown")
    elif width < min(most, slot or most):
        yield failed(name, f"width x{width}, both ends of the link have x{min(most, slot or most)}")
    elif width < most:
        why = f"width x{width}: the slot above has x{slot}, the part has x{most}"
        yield failed(name, why, severity=Severity.LOW)
    else:
        yield passed(name, f"width x{width}, all that the part has")
