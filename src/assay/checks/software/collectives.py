"""NCCL and RCCL move data between accelerators for every framework."""

from collections.abc import Iterator, Sequence

from assay.checks.software.cuda_toolkit import missing
from assay.checks.software.roles import (
    AMD,
    NONE,
    NVIDIA,
    accelerators,
    doubtful,
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
from assay.probes.mpi import MODULES
from assay.probes.software_libraries import LIBRARIES


@check(
    "software.collectives-library",
    asks="Is the collectives library of the accelerators installed?",
    severity=Severity.LOW,
    why="NCCL tests and MPI programs link against the system's NCCL or RCCL; without it, nobody "
    "can tell a slow fabric from a slow framework.",
    fix="Install libnccl2 and libnccl-dev, or rccl, from the vendor's repository.",
    see=[
        "https://docs.nvidia.com/deeplearning/nccl/install-guide/index.html",
        "https://rocm.docs.amd.com/projects/rccl/en/latest/",
    ],
    reproduce="ldconfig -p | grep -E 'lib(nccl|rccl)'; ls -l /opt/rocm/lib/librccl.so.1",
    plants=[
        plant(
            Edit(LIBRARIES.source, status=Status.ABSENT),
            Edit(MODULES.source, status=Status.ABSENT),
        ),
        plant(
            Edit(LIBRARIES.source, status=Status.ABSENT),
            host="mi300x",
            name="RCCL",
        ),
    ],
)
def collectives_library(
    devices: Sequence[PciDevice],
    software: Sequence[Software],
    paths: Sequence[PathMode] | None,
) -> Iterator[Verdict]:
    """The library by the name of its file."""
    if not accelerators(devices, NVIDIA) and not accelerators(devices, AMD):
        yield not_applicable(HOST, NONE)
    for vendor, library in ((NVIDIA, "nccl"), (AMD, "rccl")):
        if not accelerators(devices, vendor):
            continue
        found = versions(software, library)
        if found:
            yield passed(HOST, found)
        elif doubt := doubtful(software, library):
            yield unknown(HOST, doubt)
        elif not kubernetes(software):
            yield missing(f"lib{library}", "in the system's library folders", paths)
