"""Memory that is in use and belongs to nobody is lost to the next job."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.dmi import Virtualization
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
def no_leftovers(
    devices: Sequence[Accelerator], virtualization: Sequence[Virtualization] | None
) -> Iterator[Verdict]:
    """NVIDIA devices at work on nothing, for nobody, that yet hold memory."""
    contained = any(v.container for v in virtualization or ())
    for device in answering(devices):
        idle = device.utilization_percent == 0 and device.processes == 0
        if device.vendor != "nvidia" or not idle:
            continue
        used = device.memory_used_mib
        if used is None:
            yield unknown(device.subject, "the tool does not say how much memory is in use")
        elif used <= MOST_MIB:
            yield passed(device.subject, f"{used:g} MiB in use at rest")
        elif contained:
            why = f"{used:g} MiB in use; processes outside this container are not shown"
            yield unknown(device.subject, why)
        else:
            seen = f"{used:g} MiB in use while nothing runs and no process is shown"
            yield failed(device.subject, f"{seen}; at most {MOST_MIB:g} MiB is usual")
