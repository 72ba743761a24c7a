"""Nodes of one kind should have the same processors, set up alike."""

from collections.abc import Iterator

from assay.checks.system.majority import compared, products
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.cpu import Processors
from assay.model.facts.dmi import Machine
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.cpu import ROOT, TOPOLOGY


@check(
    "system.same-processors",
    asks="Do all nodes of one kind have the same processors with the same number of CPUs?",
    severity=Severity.LOW,
    why="One node with other cores, or with SMT the other way round, breaks pinning and sets the "
    "pace of every collective.",
    fix="Compare the firmware setup (SMT, disabled cores) and the parts of the odd nodes.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/cputopology.html"],
    reproduce="lscpu",
    plants=[plant(Edit(TOPOLOGY.source, path=ROOT + "online", new="0-111\n"))],
)
def same_processors(
    processors: Fleet[Processors], machines: Fleet[Machine] | None
) -> Iterator[Verdict]:
    """Compare model and number of CPUs among nodes of the same product."""
    said = {
        node: f"{group.facts[0].model} with {group.facts[0].cpus or '?'} CPUs"
        for group in processors
        if group.facts
        for node in group.nodes
    }
    yield from compared(said, products(machines) if machines else {}, "the processor")
