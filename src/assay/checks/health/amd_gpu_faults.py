"""Is the kernel log free of faults of AMD GPUs: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import AMD, judged, line, present
from assay.kit.check import check
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.amd-gpu-faults",
    asks="Is the kernel log free of faults of AMD GPUs?",
    severity=Severity.CRITICAL,
    why="Uncorrected RAS errors, hangs and failed resets of an AMD GPU end jobs or corrupt "
    "their results.",
    fix="Reset the GPU or reboot the node; return the board when its bad pages reach the limit.",
    see=["https://docs.kernel.org/gpu/amdgpu/ras.html"],
    reproduce="dmesg | grep amdgpu",
    plants=[
        line(
            "amdgpu 0000:c1:00.0: amdgpu: socket: 0 2 uncorrectable hardware errors "
            "detected in gfx block",
            host="mi300x",
        ),
    ],
)
def amd_gpu_faults(
    events: Sequence[KernelEvent],
    log: Sequence[KernelLog],
    devices: Sequence[PciDevice] | None,
) -> Iterator[Verdict]:
    """Judge AMD GPU faults in the log that was read."""
    found = [e for e in events if e.vendor == "amd"]
    there = present(devices, AMD)
    yield from judged(found, log, "AMD GPU fault", mild=Severity.MEDIUM, present=there)
