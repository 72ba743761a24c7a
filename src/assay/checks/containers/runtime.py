"""Users of accelerators bring their software in containers."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import NONE, accelerators, doubtful, versions
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.evidence import Status
from assay.model.facts.pci import PciDevice
from assay.model.facts.software import Software
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.software_docker import VERSION
from assay.probes.software_versions import PROGRAMS

ENGINES = (
    "docker", "docker-cli", "containerd", "cri-o", "podman", "enroot", "apptainer",
    "singularity-ce", "nerdctl", "k3s", "rke2",
)  # fmt: skip
_ASKED = {
    p.reading.source for p in PROGRAMS if p.component in ENGINES and "/" not in p.reading.source
}


@check(
    "containers.runtime",
    asks="Can a job on this accelerator node run in a container?",
    severity=Severity.LOW,
    why="Frameworks are shipped as images; without an engine, everybody builds them by hand.",
    fix="Install Enroot with Pyxis (Slurm), Apptainer, Podman or Docker.",
    see=["https://slurm.schedmd.com/containers.html"],
    reproduce="which docker podman enroot apptainer containerd",
    plants=[
        plant(*(Edit(source, status=Status.ABSENT) for source in sorted({VERSION.source, *_ASKED})))
    ],
)
def runtime(devices: Sequence[PciDevice], software: Sequence[Software]) -> Iterator[Verdict]:
    """Container engines that said their version."""
    if not accelerators(devices):
        yield not_applicable(HOST, NONE)
        return
    found = versions(software, *ENGINES)
    if found:
        yield passed(HOST, found)
    elif doubt := doubtful(software, *ENGINES):
        yield unknown(HOST, doubt)
    else:
        yield failed(HOST, "found none of " + ", ".join(ENGINES))
