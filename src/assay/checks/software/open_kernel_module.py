"""NVIDIA's open kernel module is what its newer features are made for."""

from collections.abc import Iterator, Sequence

from assay.checks.software.gpudirect import SEE
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import NvidiaModule
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes import cuda


@check(
    "software.open-kernel-module",
    asks="Is NVIDIA's open kernel module in use?",
    severity=Severity.LOW,
    why="GPUDirect RDMA by DMA-BUF and GPUDirect Storage need it, Blackwell runs with nothing "
    "else, and nvidia_peermem is on its way out.",
    fix="Install the -open flavour of the same driver branch and reboot.",
    see=[
        SEE,
        "https://developer.nvidia.com/blog/nvidia-transitions-fully-towards-open-source-gpu-kernel-modules/",
    ],
    reproduce="head -1 /proc/driver/nvidia/version",
    plants=[
        plant(
            Edit(
                cuda.MODULE.source,
                path="/proc/driver/nvidia/version",
                old="NVIDIA UNIX Open Kernel Module for x86_64",
                new="NVIDIA UNIX x86_64 Kernel Module",
            )
        )
    ],
)
def open_kernel_module(drivers: Sequence[NvidiaModule]) -> Iterator[Verdict]:
    """What the module says about itself."""
    for driver in drivers:
        if driver.open_source:
            yield passed(HOST, f"{driver.version} is the open module")
        else:
            yield failed(HOST, f"{driver.version} is the closed module")
