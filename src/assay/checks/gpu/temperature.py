"""Heat ages a board and slows it down."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

HOT = 85.0  # degrees Celsius, for parts whose own limit is not in the table
IDLE_HOT = 60.0  # a sound H100 idles at 30 to 45
ABSURD = 150.0  # no board reports that and lives


@check(
    "gpu.temperature",
    asks="Is no accelerator too hot, at work or at rest?",
    severity=Severity.HIGH,
    why="A hot GPU slows down and dies early; one that is hot at rest has a cooling fault.",
    fix="Check fans, airflow or coolant of the node, then the cold plate of that board.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,temperature.gpu,utilization.gpu --format=csv",
    plants=[
        plant(Edit(XML.source, old="<gpu_temp>32 C<", new="<gpu_temp>94 C<"), name="hot"),
        plant(Edit(XML.source, old="<gpu_temp>32 C<", new="<gpu_temp>71 C<"), name="hot at rest"),
    ],
)
def temperature(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """The core temperature against the part's limit, or against rest when nothing runs."""
    for device in devices:
        part, celsius = part_of(device), device.temperature_c
        limit = (part.hot_celsius if part else None) or HOT
        if celsius is None or celsius >= ABSURD:
            if device.vendor in ("nvidia", "amd") and not device.fault:
                yield unknown(device.subject, f"no believable temperature (got {celsius})")
        elif celsius >= limit:
            yield failed(device.subject, f"{celsius:g} C, the limit is {limit:g} C")
        elif _at_rest(device) and celsius >= IDLE_HOT:
            seen = f"{celsius:g} C at rest, under {IDLE_HOT:g} C is usual"
            yield failed(device.subject, seen, severity=Severity.MEDIUM)
        else:
            yield passed(device.subject, f"{celsius:g} C{' at rest' if _at_rest(device) else ''}")


def _at_rest(device: Accelerator) -> bool:
    return device.utilization_percent == 0 and device.processes == 0
