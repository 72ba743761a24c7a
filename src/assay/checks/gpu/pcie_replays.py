"""A PCIe link that repeats itself loses bandwidth, and fails one day."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.clock import Uptime
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

# The limit that DCGM's own health watch uses (DCGM_LIMIT_MAX_PCIREPLAY_RATE).
PER_MINUTE = 8


@check(
    "gpu.pcie-replays",
    asks="Does the PCIe link of every accelerator work without repeating itself?",
    severity=Severity.MEDIUM,
    why="Each replay is a packet that was damaged on the way; many of them cost bandwidth.",
    fix="Reseat the board or riser; replace it when the counter keeps growing.",
    see=[NVML, "https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html"],
    reproduce="nvidia-smi --query-gpu=index,pcie.replay.counter --format=csv; cat /proc/uptime",
    plants=[plant(Edit(XML.source, old="<replay_counter>0<", new="<replay_counter>99000000<"))],
)
def pcie_replays(
    devices: Sequence[Accelerator], uptime: Sequence[Uptime] | None
) -> Iterator[Verdict]:
    """The counter over the time since boot. It may be younger: the true rate is at least that."""
    minutes = max((up.seconds for up in uptime or ()), default=0.0) / 60
    for device in answering(devices):
        count = device.pcie_replays
        if count is None:
            continue
        if count == 0:
            yield passed(device.subject, "no PCIe replays")
        elif minutes <= 0:
            yield unknown(device.subject, f"{count} PCIe replays, over an unknown time")
        else:
            rate = count / minutes
            seen = f"{count} PCIe replays, at least {rate:.2g} a minute since boot"
            if rate > PER_MINUTE:
                yield failed(device.subject, f"{seen}, at most {PER_MINUTE} are usual")
            else:
                yield passed(device.subject, seen)
