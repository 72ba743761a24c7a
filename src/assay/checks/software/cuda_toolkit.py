"""Users compile CUDA code, on the node where they log in or where the job runs."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import (
    NO_NVIDIA,
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
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.cuda import TOOLKITS
from assay.probes.mpi import MODULES


@check(
    "software.cuda-toolkit",
    asks="Is a CUDA toolkit with nvcc at hand?",
    severity=Severity.LOW,
    why="PyTorch extensions, NCCL tests and Triton kernels are compiled on the cluster.",
    fix="Install cuda-toolkit from NVIDIA's repository, or offer it as an environment module.",
    see=["https://docs.nvidia.com/cuda/cuda-installation-guide-linux/"],
    reproduce="nvcc --version; ls -d /usr/local/cuda*",
    plants=[
        plant(
            Edit(TOOLKITS.source, status=Status.ABSENT),
            Edit("nvcc --version", status=Status.ABSENT),
            Edit(MODULES.source, status=Status.ABSENT),
        )
    ],
)
def cuda_toolkit(
    devices: Sequence[PciDevice],
    software: Sequence[Software],
    paths: Sequence[PathMode] | None,
) -> Iterator[Verdict]:
    """The toolkit by its version files or by nvcc."""
    if not accelerators(devices, NVIDIA):
        yield not_applicable(HOST, NO_NVIDIA)
        return
    found = versions(software, "cuda-toolkit", "cuda-compiler")
    if found:
        yield passed(HOST, found)
    elif doubt := doubtful(software, "cuda-toolkit", "cuda-compiler"):
        yield unknown(HOST, doubt)
    elif not kubernetes(software):
        yield missing("CUDA toolkit", "in /usr/local/cuda*, /opt and PATH", paths)


def missing(what: str, where: str, paths: Sequence[PathMode] | None) -> Verdict:
    """Not found: a failure, unless environment modules may bring it."""
    if any(path.path.startswith(("/etc/profile.d/", "/usr/share/")) for path in paths or ()):
        return unknown(HOST, f"no {what} {where}; environment modules may have one")
    return failed(HOST, f"no {what} {where}")
