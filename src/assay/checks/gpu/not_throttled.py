"""A GPU that slows itself down has a reason: heat, power, or a brake from outside."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

# Clock-event reasons of the tools, in words common to their versions.
HARDWARE = ("thermal", "therm_", "slowdown", "power_brake", "powerbrake", "prochot", "throttled")
ASKED_FOR = ("applications_clocks", "sync_boost", "display_clock", "gpu_idle", "idle", "none")
POWER_CAP = ("power_cap", "ppt", "power")
REASON = "<clocks_event_reason_{0}>{1}</clocks_event_reason_{0}>"


@check(
    "gpu.not-throttled",
    asks="Does no accelerator slow itself down for heat or power?",
    severity=Severity.HIGH,
    why="One throttled GPU sets the pace of every job that it takes part in.",
    fix="Check cooling, power supplies and the power brake signal of the chassis; replace the "
    "board "
    "if its neighbours run free.",
    see=[NVML],
    reproduce="nvidia-smi -q -d PERFORMANCE",
    plants=[
        plant(Edit(XML.source, old=REASON.format("hw_thermal_slowdown", "Not Active"),
                   new=REASON.format("hw_thermal_slowdown", "Active")), name="heat"),
        plant(Edit(XML.source, old=REASON.format("hw_power_brake_slowdown", "Not Active"),
                   new=REASON.format("hw_power_brake_slowdown", "Active")), name="power brake"),
    ],
)  # fmt: skip
def not_throttled(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """The reasons that the tool names as active; an unlisted one is unknown, never fine."""
    for device in devices:
        if device.throttle is None:
            if device.vendor == "nvidia" and not device.fault:
                yield unknown(device.subject, "the tool does not say why clocks are as they are")
            continue
        yield _verdict(device, [reason.lower() for reason in device.throttle])


def _verdict(device: Accelerator, reasons: list[str]) -> Verdict:
    grave = [r for r in reasons if any(word in r for word in HARDWARE)]
    rest = [r for r in reasons if r not in grave and not any(word in r for word in ASKED_FOR)]
    capped = [r for r in rest if any(word in r for word in POWER_CAP)]
    if grave:
        return failed(device.subject, f"slowed down: {', '.join(grave)}")
    if set(rest) - set(capped):
        return unknown(device.subject, f"slowed down for {', '.join(rest)}, which is not listed")
    if capped and not device.utilization_percent:
        seen = f"slowed down while idle: {', '.join(capped)}"
        return failed(device.subject, seen, severity=Severity.MEDIUM)
    if capped:
        return passed(device.subject, f"at its power limit under load ({', '.join(capped)})")
    return passed(device.subject, "no reason to slow down is active")
