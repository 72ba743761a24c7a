"""Heat ages a board and slows it down."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, for_servers, is_share, more_of, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

HOT = 85.0  # degrees Celsius, for parts whose own limit is not in the table
# Memory: what `nvidia-smi -q` calls its highest operating temperature on A100 and H100, and where
# amd-smi's limits say that an MI300 slows down.
HOT_MEMORY = {"nvidia": 95.0, "amd": 105.0}
IDLE_HOT = 60.0  # a sound H100 idles at 30 to 45
ABSURD = 150.0  # no board reports that and lives


@check(
    "gpu.temperature",
    asks="Is no accelerator too hot, at work or at rest?",
    severity=Severity.HIGH,
    why="A hot GPU slows down and dies early; one that is hot at rest has a cooling fault.",
    fix="Check fans, airflow or coolant of the node, then the cold plate of that board.",
    see=[NVML],
    reproduce="nvidia-smi -q -d TEMPERATURE,UTILIZATION",
    plants=[
        plant(Edit(XML.source, old="<gpu_temp>32 C<", new="<gpu_temp>94 C<"), name="hot"),
        plant(Edit(XML.source, old="<memory_temp>38 C<", new="<memory_temp>97 C<"),
              name="hot memory"),
        plant(Edit(XML.source, old="<gpu_temp>32 C<", new="<gpu_temp>71 C<"), name="hot at rest"),
    ],
)  # fmt: skip
def temperature(
    devices: Sequence[Accelerator], details: Sequence[NvidiaDevice] | None
) -> Iterator[Verdict]:
    """Core and memory against the part's limits, or the core against rest when nothing runs."""
    for device in answering(devices):
        celsius = device.temperature_c
        more = more_of(device, details)
        margin = more.thermal_margin_c if more else None
        if celsius is None or not 0 < celsius < ABSURD:
            if is_share(device, details):
                yield not_applicable(device.subject, "a vGPU does not show the heat of its board")
            elif device.vendor in HOT_MEMORY:
                got = "none" if celsius is None else f"{celsius:g} C"
                yield unknown(device.subject, f"no believable temperature ({got})")
        else:
            yield _judge(device, celsius, margin)


def _judge(device: Accelerator, celsius: float, margin: float | None) -> Verdict:
    part = part_of(device)
    limit = (part.hot_celsius if part else None) or HOT
    memory, most = device.memory_temperature_c, HOT_MEMORY.get(device.vendor)
    rest = device.utilization_percent == 0 and device.processes == 0
    if celsius >= limit:
        return failed(device.subject, f"{celsius:g} C, the limit is {limit:g} C")
    if margin is not None and margin <= 0:
        seen = f"{celsius:g} C, and {margin:g} C are left until it slows down"
        return failed(device.subject, seen)
    if memory is not None and most is not None and most <= memory < ABSURD:
        return failed(device.subject, f"memory at {memory:g} C, the limit is {most:g} C")
    if rest and celsius >= IDLE_HOT and for_servers(device):
        seen = f"{celsius:g} C at rest, under {IDLE_HOT:g} C is usual"
        return failed(device.subject, seen, severity=Severity.MEDIUM)
    return passed(device.subject, f"{celsius:g} C{' at rest' if rest else ''}")
