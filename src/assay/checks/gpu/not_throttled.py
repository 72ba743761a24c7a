"""A GPU that slows itself down has a reason: heat, power, or a brake from outside."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, is_share, more_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

# Reasons in the tools' words, as parts of the names that several versions use: NVML's clock-event
# reasons (nvmlClocksEventReason*), amd-smi's violations, hl-smi's clock throttle reasons.
GRAVE = ("thermal", "therm_", "slowdown", "power_brake", "powerbrake", "prochot", "throttled")
ASKED_FOR = ("applications_clocks", "sync_boost", "display_clock", "gpu_idle", "idle", "none")
POWER_CAP = ("power_cap", "ppt", "power")
BRIEF_S = 60.0  # in all since the driver was loaded: less is no sign of a lasting fault
LASTING = ("hw_thermal_slowdown", "hw_power_brake_slowdown")
_REASON = "<clocks_event_reason_{0}>{1}</clocks_event_reason_{0}>"
_COUNTER = "<clocks_event_reasons_counters_{0}>{1} us</clocks_event_reasons_counters_{0}>"


def _active(reason: str) -> Edit:
    return Edit(
        XML.source, old=_REASON.format(reason, "Not Active"), new=_REASON.format(reason, "Active")
    )


@check(
    "gpu.not-throttled",
    asks="Does no accelerator slow itself down for heat or power, and has none done so for long?",
    severity=Severity.HIGH,
    why="One throttled GPU sets the pace of every job that it takes part in.",
    fix="Check cooling, power supplies and the power brake signal of the chassis; replace the "
    "board if its neighbours run free.",
    see=[NVML],
    reproduce="nvidia-smi -q -d PERFORMANCE",
    plants=[
        plant(_active("hw_thermal_slowdown"), name="heat"),
        plant(_active("hw_power_brake_slowdown"), name="power brake"),
        plant(_active("sw_power_cap"), name="at its power cap while idle"),
        plant(Edit(XML.source, old=_COUNTER.format("hw_therm_slowdown", 0),
                   new=_COUNTER.format("hw_therm_slowdown", 840_000_000)), name="heat before now"),
    ],
)  # fmt: skip
def not_throttled(
    devices: Sequence[Accelerator], details: Sequence[NvidiaDevice] | None
) -> Iterator[Verdict]:
    """The reasons that the tool names as active; an unlisted one is unknown, never fine."""
    for device in answering(devices):
        if device.throttle is not None:
            more = more_of(device, details)
            counted = more.throttled_us if more else ()
            yield _verdict(device, [reason.lower() for reason in device.throttle], counted)
        elif is_share(device, details):
            yield not_applicable(device.subject, "a vGPU does not say why its board slows down")
        elif device.vendor == "nvidia":
            yield unknown(device.subject, "the tool does not say why clocks are as they are")


def _verdict(
    device: Accelerator, reasons: list[str], counted: Sequence[tuple[str, int]]
) -> Verdict:
    grave = [r for r in reasons if any(word in r for word in GRAVE)]
    rest = [r for r in reasons if r not in grave and not any(word in r for word in ASKED_FOR)]
    capped = [r for r in rest if any(word in r for word in POWER_CAP)]
    before = [
        f"{name} for {us / 1e6:.0f} s"
        for name, us in counted
        if name in LASTING and us >= BRIEF_S * 1e6
    ]
    if grave:
        return failed(device.subject, f"slowed down: {', '.join(grave)}")
    if set(rest) - set(capped):
        return unknown(device.subject, f"slowed down for {', '.join(rest)}, which is not listed")
    if before:
        seen = f"not now, but since the driver was loaded: {', '.join(before)}"
        return failed(device.subject, seen, severity=Severity.MEDIUM)
    return _capped(device, ", ".join(capped))


def _capped(device: Accelerator, cap: str) -> Verdict:
    """A power cap is what a busy GPU runs into; an idle one has no business there."""
    if not cap:
        return passed(device.subject, "no reason to slow down is active")
    if device.utilization_percent is None:
        why = f"held back by {cap}; the tool does not say how busy it is"
        return unknown(device.subject, why)
    if device.utilization_percent == 0:
        return failed(device.subject, f"held back while idle: {cap}", severity=Severity.LOW)
    return passed(device.subject, f"at its power limit under load ({cap})")
