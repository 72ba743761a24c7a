"""Nsight Compute reads counters that the driver may keep for root."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import NvidiaParameter
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.profiling import PARAMETERS

# The option is NVreg_RestrictProfilingToAdminUsers; drivers publish it under either name.
NAMES = ("RmProfilingAdminOnly", "RestrictProfilingToAdminUsers")


@check(
    "software.gpu-profiling",
    asks="May ordinary users profile their GPU kernels?",
    severity=Severity.LOW,
    why="Nsight Compute stops with ERR_NVGPUCTRPERM, and people tune kernels blindly.",
    fix="Put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in /etc/modprobe.d, rebuild "
    "the initramfs and reboot.",
    see=[
        "https://developer.nvidia.com/nvidia-development-tools-solutions-err_nvgpuctrperm-permission-issue-performance-counters"
    ],
    reproduce="grep RmProfilingAdminOnly /proc/driver/nvidia/params",
    plants=[
        plant(
            Edit(
                PARAMETERS.source,
                path="/proc/driver/nvidia/params",
                old="RmProfilingAdminOnly: 0",
                new="RmProfilingAdminOnly: 1",
            )
        )
    ],
)
def gpu_profiling(parameters: Sequence[NvidiaParameter]) -> Iterator[Verdict]:
    """The setting of the loaded driver."""
    if not parameters:
        return
    found = next((p for p in parameters if p.name in NAMES), None)
    if found is None:
        yield unknown(HOST, f"the driver publishes none of {', '.join(NAMES)}")
    elif found.value == "0":
        yield passed(HOST, f"{found.name} is 0")
    elif found.value == "1":
        yield failed(HOST, f"{found.name} is 1: only root may read the GPU's counters")
    else:
        yield unknown(HOST, f"{found.name} is {found.value!r}")
