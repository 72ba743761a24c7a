"""Without ECC a flipped bit is a wrong result and nobody knows."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.ecc-enabled",
    asks="Is ECC on?",
    severity=Severity.HIGH,
    why="Without ECC a flipped bit in memory is a silently wrong result.",
    fix="nvidia-smi -e 1 as root, then reset the GPU or reboot.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,ecc.mode.current --format=csv",
    plants=[
        plant(Edit(XML.source, old="<current_ecc>Enabled</current_ecc>",
                   new="<current_ecc>Disabled</current_ecc>")),
    ],
)  # fmt: skip
def ecc_enabled(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """The current ECC mode; parts that are not in the table may have none."""
    for device in devices:
        if device.ecc_enabled:
            yield passed(device.subject, "ECC is on")
        elif device.ecc_enabled is False:
            yield failed(device.subject, "ECC is off")
        elif part_of(device) is not None and device.vendor == "nvidia":
            yield unknown(device.subject, "the tool does not say whether ECC is on")
