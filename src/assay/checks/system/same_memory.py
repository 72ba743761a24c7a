"""A node with less memory than its sisters has lost a module."""

from collections.abc import Iterator

from assay.checks.system.majority import compared, products
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.dmi import Machine
from assay.model.facts.memory import Memory
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.memory import MEMINFO

# The firmware and the kernel keep some memory for themselves, not always the same; the smallest
# module in such machines has 16 GiB. Amounts closer than this are the same amount.
APART = 4 << 30
GIB = 1 << 30


@check(
    "system.same-memory",
    asks="Do all nodes of one kind have the same amount of memory?",
    severity=Severity.MEDIUM,
    why="A memory module that the firmware mapped out after errors shows as missing memory and as "
    "bandwidth lost; jobs sized for the others run out of it.",
    fix="Compare the modules (dmidecode -t 17) and the BMC's event log; reseat or replace.",
    see=["https://www.kernel.org/doc/html/latest/filesystems/proc.html"],
    reproduce="grep MemTotal /proc/meminfo",
    plants=[
        plant(
            Edit(
                MEMINFO.source,
                path="/proc/meminfo",
                old="MemTotal:       2113",
                new="MemTotal:       2046",
            )
        ),
    ],
)
def same_memory(memory: Fleet[Memory], machines: Fleet[Machine] | None) -> Iterator[Verdict]:
    """Compare memory among nodes of the same product."""
    totals = {node: group.facts[0].total for group in memory if group.facts for node in group.nodes}
    names = _amounts(sorted(set(totals.values())))
    said = {node: names[total] for node, total in totals.items()}
    yield from compared(said, products(machines) if machines else {}, "the memory")


def _amounts(totals: list[int]) -> dict[int, str]:
    """A name for each amount; amounts that lie close together have one name."""
    names: dict[int, str] = {}
    start = None
    for at, total in enumerate(totals):
        if start is None or total - totals[at - 1] > APART:
            start = total
        names[total] = f"{start / GIB:.0f} GiB"
    return names
