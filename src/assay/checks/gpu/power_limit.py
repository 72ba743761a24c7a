"""A lowered power limit is a slower board at the same price."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.power-limit",
    asks="Is the power limit that of the part?",
    severity=Severity.MEDIUM,
    why="A GPU capped below its default limit cannot reach its speed under load.",
    fix="nvidia-smi -pl with the default limit as root, or ask the provider why it is lowered.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,power.limit,power.default_limit --format=csv",
    plants=[
        plant(Edit(XML.source, old="<current_power_limit>700.00 W", new="<current_power_limit>450.00 W"),
              Edit(XML.source, old="<requested_power_limit>700.00 W",
                   new="<requested_power_limit>450.00 W")),
    ],
)  # fmt: skip
def power_limit(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """The limit in force against the default one, where the tool gives both."""
    for device in devices:
        limit, default = device.power_limit_w, device.power_default_w
        if limit is None or default is None or default <= 0:
            continue
        if limit < 0.99 * default:
            yield failed(device.subject, f"limited to {limit:g} W, its default is {default:g} W")
        else:
            yield passed(device.subject, f"limit {limit:g} W, default {default:g} W")
