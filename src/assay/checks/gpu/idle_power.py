"""A board that burns power while it does nothing is not doing nothing."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

BUSY_MIB = 1024.0  # somebody holds more than the driver does: a context keeps clocks and power up


@check(
    "gpu.idle-power",
    asks="Does an idle accelerator draw the power of an idle one?",
    severity=Severity.LOW,
    why="High power at rest means a stuck clock, a hidden process or a wrong power state.",
    fix="Look for processes that hold the GPU, reset its clocks (nvidia-smi -rgc), then the GPU.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,power.draw,utilization.gpu --format=csv",
    plants=[
        plant(Edit(XML.source, old="<average_power_draw>69.41 W<",
                   new="<average_power_draw>290.00 W<"),
              Edit(XML.source, old="<instant_power_draw>69.72 W<",
                   new="<instant_power_draw>290.31 W<")),
    ],
)  # fmt: skip
def idle_power(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Only devices that do nothing, of parts whose idle power is in the table."""
    for device in answering(devices):
        part = part_of(device)
        if part is None or part.idle_watts is None or not _idle(device):
            continue
        if device.power_w is None:
            yield unknown(device.subject, "the tool does not say what power it draws")
        elif device.power_w > part.idle_watts:
            seen = f"{device.power_w:g} W at rest, at most {part.idle_watts:g} W is usual"
            yield failed(device.subject, seen)
        else:
            yield passed(device.subject, f"{device.power_w:g} W at rest")


def _idle(device: Accelerator) -> bool:
    held = device.memory_used_mib or 0
    return device.utilization_percent == 0 and not device.processes and held <= BUSY_MIB
