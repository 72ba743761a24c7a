"""Firmware sets memory timing, PCIe and power; one odd node is one slow node."""

from collections.abc import Iterator
from dataclasses import replace

from assay.checks.system.majority import compared, products
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.dmi import Machine
from assay.model.finding import HOST, Verdict, unknown
from assay.model.outcome import Severity
from assay.probes.dmi import DMI, ROOT


@check(
    "system.same-firmware",
    asks="Do all nodes of one kind have the same firmware (BIOS) version?",
    severity=Severity.LOW,
    why="Firmware carries microcode, PCIe fixes and power settings; a node left behind is slower "
    "or less safe, and nobody can tell why.",
    fix="Update the odd nodes to the version of the others.",
    see=["https://www.dmtf.org/standards/smbios"],
    reproduce="cat /sys/class/dmi/id/bios_version",
    plants=[plant(Edit(DMI.source, path=ROOT + "bios_version", new="1.8\n"))],
)
def same_firmware(machines: Fleet[Machine]) -> Iterator[Verdict]:
    """Compare BIOS versions among nodes of the same product."""
    said = {
        node: group.facts[0].bios_version
        for group in machines
        if group.facts and group.facts[0].bios_version
        for node in group.nodes
    }
    yield from compared(said, products(machines), "the firmware version")
    silent = tuple(node for group in machines if group.facts for node in group.nodes
                   if node not in said)  # fmt: skip
    if said and silent:
        yield replace(unknown(HOST, "the firmware does not tell its version"), nodes=silent)
