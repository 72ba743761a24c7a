"""One node with another kernel is one node with other bugs."""

from collections.abc import Iterator

from assay.checks.system.majority import compared, products
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.dmi import Machine
from assay.model.facts.system import Kernel
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.kernel import KERNEL


@check(
    "system.same-kernel",
    asks="Do all nodes of one kind run the same kernel?",
    severity=Severity.MEDIUM,
    why="Mixed kernels mean mixed drivers and security fixes, and a job is as good as its worst "
    "node.",
    fix="Bring the odd nodes to the image of the others.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/sysctl/kernel.html"],
    reproduce="uname -r",
    plants=[
        plant(
            Edit(
                KERNEL.source,
                path="/proc/sys/kernel/osrelease",
                new="6.8.0-120-generic\n",
            )
        ),
    ],
)
def same_kernel(kernels: Fleet[Kernel], machines: Fleet[Machine] | None) -> Iterator[Verdict]:
    """Compare kernel releases among nodes of the same product."""
    said = {
        node: ", ".join(sorted(kernel.release for kernel in group.facts))
        for group in kernels
        if group.facts
        for node in group.nodes
    }
    yield from compared(said, products(machines) if machines else {}, "the kernel")
