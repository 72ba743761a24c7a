"""Multi-node jobs and fabric tests start with MPI."""

from collections.abc import Iterator, Sequence

from assay.checks.software.cuda_toolkit import missing
from assay.checks.software.roles import (
    NO_FABRIC,
    accelerators,
    doubtful,
    fabric_ports,
    kubernetes,
    versions,
)
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.evidence import Status
from assay.model.facts.exposure import PathMode
from assay.model.facts.pci import PciDevice
from assay.model.facts.software import Software
from assay.model.finding import HOST, Verdict, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.mpi import HPCX, MODULES, PKGCONFIG


@check(
    "software.mpi",
    asks="Is an MPI installed on this node of a fabric?",
    severity=Severity.LOW,
    why="NCCL tests, OSU benchmarks and most HPC codes start with it; NVIDIA's HPC-X brings UCX, "
    "UCC and SHARP that fit the fabric.",
    fix="Install HPC-X below /opt, or Open MPI from the fabric vendor, and offer it as a module.",
    see=["https://docs.nvidia.com/networking/category/hpcx"],
    reproduce="mpirun --version; ls -d /opt/hpcx*",
    plants=[
        plant(
            Edit(HPCX.source, status=Status.ABSENT),
            Edit(PKGCONFIG.source, status=Status.ABSENT),
            Edit("mpirun --version", status=Status.ABSENT),
            Edit(MODULES.source, status=Status.ABSENT),
        )
    ],
)
def mpi(
    devices: Sequence[PciDevice],
    software: Sequence[Software],
    paths: Sequence[PathMode] | None,
) -> Iterator[Verdict]:
    """HPC-X or Open MPI, where there are accelerators and a fabric."""
    if not accelerators(devices) or not fabric_ports(devices):
        yield not_applicable(HOST, NO_FABRIC)
        return
    found = versions(software, "hpcx", "openmpi")
    if found:
        yield passed(HOST, found)
    elif doubt := doubtful(software, "hpcx", "openmpi"):
        yield unknown(HOST, doubt)
    elif not kubernetes(software):
        yield missing("HPC-X or Open MPI", "in /opt, /usr/mpi and PATH", paths)
