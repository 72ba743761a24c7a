"""Without ECC a flipped bit is a wrong result and nobody knows."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, for_servers, is_share, more_of, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.ecc-enabled",
    asks="Is ECC on, and will it be after the next reset?",
    severity=Severity.HIGH,
    why="Without ECC a flipped bit in memory is a silently wrong result.",
    fix="Run `nvidia-smi -e 1` as root, then reset the GPU or reboot.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,ecc.mode.current,ecc.mode.pending --format=csv",
    plants=[
        plant(Edit(XML.source, old="<current_ecc>Enabled</current_ecc>",
                   new="<current_ecc>Disabled</current_ecc>"), name="off"),
        plant(Edit(XML.source, old="<pending_ecc>Enabled</pending_ecc>",
                   new="<pending_ecc>Disabled</pending_ecc>"), name="off after a reset"),
    ],
)  # fmt: skip
def ecc_enabled(
    devices: Sequence[Accelerator], details: Sequence[NvidiaDevice] | None
) -> Iterator[Verdict]:
    """The mode now and the pending one. Cards of desktops are made to run without it."""
    for device in answering(devices):
        more = more_of(device, details)
        if device.ecc_enabled and more and more.ecc_pending is False:
            seen = "ECC is on, but set to be off after the next reset"
            yield failed(device.subject, seen, severity=Severity.MEDIUM)
        elif device.ecc_enabled and more and more.ecc_pending is None:
            yield unknown(device.subject, "ECC is on; whether it stays on is not told")
        elif device.ecc_enabled:
            yield passed(device.subject, "ECC is on")
        elif device.ecc_enabled is False:
            severity = None if for_servers(device) else Severity.LOW
            yield failed(device.subject, "ECC is off", severity=severity)
        elif is_share(device, details):
            yield not_applicable(device.subject, "a vGPU does not say whether its board has ECC on")
        elif part_of(device) is not None and device.vendor == "nvidia":
            yield unknown(device.subject, "the tool does not say whether ECC is on")
