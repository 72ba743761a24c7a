"""A lowered power limit is a slower board at the same price."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, is_share, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

ROUNDING = 0.01  # limits are set in steps of a watt or so


@check(
    "gpu.power-limit",
    asks="Is the power limit that of the part?",
    severity=Severity.MEDIUM,
    why="A GPU capped below its default limit cannot reach its speed under load.",
    fix="Run `nvidia-smi -pl` with the default limit as root, or ask the provider why it is lower.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,power.limit,power.default_limit --format=csv",
    plants=[
        plant(Edit(XML.source, old="<current_power_limit>700.00 W",
                   new="<current_power_limit>450.00 W"),
              Edit(XML.source, old="<requested_power_limit>700.00 W",
                   new="<requested_power_limit>450.00 W")),
    ],
)  # fmt: skip
def power_limit(
    devices: Sequence[Accelerator], details: Sequence[NvidiaDevice] | None
) -> Iterator[Verdict]:
    """The limit in force against the default one; NVIDIA's tool gives both."""
    for device in answering(devices):
        limit, default = device.power_limit_w, device.power_default_w
        if limit is not None and default:
            seen = f"limited to {limit:g} W, its default is {default:g} W"
            low = limit < (1 - ROUNDING) * default
            yield failed(device.subject, seen) if low else passed(device.subject, seen)
        elif device.vendor == "nvidia" and part_of(device) and not is_share(device, details):
            missing = "power limit" if limit is None else "default power limit"
            yield unknown(device.subject, f"the tool does not tell its {missing}")
