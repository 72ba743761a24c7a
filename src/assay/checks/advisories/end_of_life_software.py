"""Do their projects still fix the installed releases of Slurm, Kubernetes and the engines?"""

from collections.abc import Iterator, Sequence

from assay.advisories import advice, ages, inventory, matching
from assay.advisories.components import component
from assay.advisories.currency import embedded
from assay.advisories.versions import BadVersion
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.software import Package, Software
from assay.model.facts.system import OperatingSystem
from assay.model.finding import Verdict, unknown
from assay.model.outcome import Severity
from assay.probes.packages import DPKG


@check(
    "advisories.software-supported",
    asks="Do their projects still fix the installed Slurm, Kubernetes, containerd and Docker?",
    severity=Severity.MEDIUM,
    why="A release series past its end gets no fixes, and few advisories still look at it.",
    fix="Upgrade to a series that is supported.",
    see=["https://slurm.schedmd.com/upgrades.html", "https://containerd.io/releases/"],
    reproduce="slurmd -V; kubelet --version; containerd --version; docker version",
    plants=[
        plant(
            Edit(DPKG.source, "23.02.9-1", "25.05.4-1", count=0),
            name="a Slurm of 2023",
        )
    ],
)
def software_supported(
    packages: Sequence[Package],
    software: Sequence[Software],
    systems: Sequence[OperatingSystem],
) -> Iterator[Verdict]:
    """Look each series up; what a distribution built is the distribution's to fix."""
    listed = {product for product, _ in embedded().of} - {"nvidia-driver", "linux"}
    for thing in inventory.of_host(packages, software, systems):
        product = component(thing.component).product
        if product not in listed or thing.distro:
            continue
        try:
            _, version = matching.number_of(thing)
        except BadVersion as bad:
            why = f"unknown version: {bad}" if thing.version else "its version could not be read"
            yield unknown(advice.name_of(thing), why)
            continue
        cycles = (version.branch, version.branch.partition(".")[0])
        shown = f"{product} {thing.version}"
        yield ages.verdict(product, shown, version.branch, cycles, subject=advice.name_of(thing))
