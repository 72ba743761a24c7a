"""`module load` is how users of a cluster choose among versions."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import slurm
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.evidence import Status
from assay.model.facts.exposure import PathMode
from assay.model.facts.software import Package, Software
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed
from assay.model.outcome import Severity
from assay.probes.mpi import MODULES

PACKAGES = ("lmod", "Lmod", "lmod-ohpc", "environment-modules")
PLACES = ("/etc/profile.d/", "/usr/share/lmod/", "/usr/share/modules/", "/usr/share/Modules/")


@check(
    "software.environment-modules",
    asks="Does this Slurm node have environment modules?",
    severity=Severity.LOW,
    why="Without modules, users set PATH by hand and mix compilers, CUDA and MPI that do not fit.",
    fix="Install Lmod or Environment Modules, and point MODULEPATH at the shared software.",
    see=["https://lmod.readthedocs.io/en/latest/", "https://modules.readthedocs.io/en/latest/"],
    reproduce="bash -lc 'module avail'",
    plants=[plant(Edit(MODULES.source, status=Status.ABSENT))],
)
def environment_modules(
    paths: Sequence[PathMode],
    software: Sequence[Software],
    packages: Sequence[Package] | None,
) -> Iterator[Verdict]:
    """The start file of the shell, or the package."""
    if not slurm(software):
        yield not_applicable(HOST, "no node of Slurm")
        return
    starts = sorted(path.path for path in paths if path.path.startswith(PLACES))
    package = next((p for p in packages or () if p.name in PACKAGES), None)
    if starts:
        yield passed(HOST, f"{starts[0]} is there")
    elif package:
        yield passed(HOST, f"package {package.name} {package.version}")
    else:
        yield failed(HOST, "neither Lmod nor Environment Modules in /etc/profile.d or /usr/share")
