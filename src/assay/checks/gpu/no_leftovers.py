"""Memory that is in use and belongs to nobody is lost to the next job."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

MOST_MIB = 2048.0  # what a driver and its daemons may hold; a whole model is far more


@check(
    "gpu.no-leftovers",
    asks="Is the memory of idle GPUs free?",
    severity=Severity.MEDIUM,
    why="A process that died, or hides in another namespace, holds memory that the next job needs.",
    fix="Find who holds the device (fuser -v /dev/nvidia*), end it, or reset the GPU.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,memory.used,utilization.gpu --format=csv",
    plants=[plant(Edit(XML.source, old="<used>0 MiB</used>", new="<used>61440 MiB</used>"))],
)
def no_leftovers(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Idle devices without a process that yet hold memory."""
    for device in devices:
        if device.utilization_percent != 0 or device.processes != 0 or device.vendor != "nvidia":
            continue
        if device.memory_used_mib is None:
            yield unknown(device.subject, "the tool does not say how much memory is in use")
        elif device.memory_used_mib > MOST_MIB:
            seen = f"{device.memory_used_mib:g} MiB in use, no process is shown, nothing runs"
            yield failed(device.subject, seen)
        else:
            yield passed(device.subject, f"{device.memory_used_mib:g} MiB in use at rest")
