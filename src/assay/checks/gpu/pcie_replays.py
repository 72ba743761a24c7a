"""A PCIe link that repeats itself loses bandwidth, and fails one day."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.clock import Uptime
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

PER_MINUTE = 8  # the alarm that clusters of this kind use: over 8 replays a minute


@check(
    "gpu.pcie-replays",
    asks="Does the PCIe link of every accelerator work without repeating itself?",
    severity=Severity.MEDIUM,
    why="Each replay is a packet that was damaged on the way; many of them cost bandwidth.",
    fix="Reseat the board or riser; replace it when the counter keeps growing.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,pcie.replay.counter --format=csv",
    plants=[plant(Edit(XML.source, old="<replay_counter>0<", new="<replay_counter>99000000<"))],
)
def pcie_replays(
    devices: Sequence[Accelerator], uptime: Sequence[Uptime] | None
) -> Iterator[Verdict]:
    """The counter over the time since boot: its rate is at least that."""
    minutes = max(up.seconds for up in uptime) / 60 if uptime else None
    for device in devices:
        count = device.pcie_replays
        if count is None:
            continue
        if not minutes:
            if count == 0:
                yield passed(device.subject, "no PCIe replays")
            else:
                yield unknown(device.subject, f"{count} PCIe replays, over an unknown time")
            continue
        rate = count / minutes
        seen = f"{count} PCIe replays, {rate:.2g} a minute since boot"
        if rate > PER_MINUTE:
            yield failed(device.subject, f"{seen}, at most {PER_MINUTE} are usual")
        else:
            yield passed(device.subject, seen)
