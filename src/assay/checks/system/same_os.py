"""Nodes of one kind should carry one distribution."""

from collections.abc import Iterator

from assay.checks.system.majority import compared, products
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.dmi import Machine
from assay.model.facts.system import OperatingSystem
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.os_release import OS_RELEASE


@check(
    "system.same-os",
    asks="Do all nodes of one kind run the same version of the same distribution?",
    severity=Severity.MEDIUM,
    why="Libraries and drivers of two distributions differ; programs built on one fail on the "
    "other.",
    fix="Bring the odd nodes to the image of the others.",
    see=["https://www.freedesktop.org/software/systemd/man/latest/os-release.html"],
    reproduce="grep PRETTY_NAME /etc/os-release",
    plants=[
        plant(
            Edit(
                OS_RELEASE.source,
                path="/etc/os-release",
                old='VERSION_ID="22.04"',
                new='VERSION_ID="20.04"',
            )
        ),
    ],
)
def same_os(systems: Fleet[OperatingSystem], machines: Fleet[Machine] | None) -> Iterator[Verdict]:
    """Compare distribution and version among nodes of the same product."""
    said = {
        node: ", ".join(sorted(f"{system.id} {system.version}" for system in group.facts))
        for group in systems
        if group.facts
        for node in group.nodes
    }
    yield from compared(said, products(machines) if machines else {}, "the distribution")
