"""The driver knows when a GPU wants a reset; somebody has to listen."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, more_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

# nvmlDeviceGpuRecoveryAction_t in the words of nvidia-smi.
WANTED = ("reset", "gpu reset", "reboot", "node reboot", "drain p2p", "drain and reset")


@check(
    "gpu.recovery-action",
    asks="Does the driver ask for no reset, reboot or drain, and for no repair of memory?",
    severity=Severity.HIGH,
    why="Until it is done the GPU runs without a part of its memory or links, or refuses new jobs.",
    fix="Drain the node and do what the driver asks; replace a GPU that asks again, or whose "
    "memory cannot be repaired.",
    see=[NVML, "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html"],
    reproduce="nvidia-smi -q | grep -E 'Recovery Action|Repair Pending|Unrepairable|Threshold'",
    plants=[
        plant(Edit(XML.source, old="<gpu_recovery_action>None<",
                   new="<gpu_recovery_action>Drain and Reset<"), name="drain and reset"),
        plant(Edit(XML.source, old="<channel_repair_pending>No<",
                   new="<channel_repair_pending>Yes<"), name="a repair is pending"),
        plant(Edit(XML.source, old="<sram_threshold_exceeded>No<",
                   new="<sram_threshold_exceeded>Yes<"), name="too many errors in caches"),
    ],
)  # fmt: skip
def recovery_action(
    devices: Sequence[Accelerator], details: Sequence[NvidiaDevice]
) -> Iterator[Verdict]:
    """The action that newer drivers name, and the repairs that wait for it."""
    for device in answering(devices):
        more = more_of(device, details)
        if more is None:
            continue
        action = more.recovery_action.strip()
        if more.unrepairable_memory:
            said = "its memory has errors that cannot be repaired"
            yield failed(device.subject, said, severity=Severity.CRITICAL)
        elif more.sram_threshold_exceeded:
            said = "uncorrected errors in its caches are over NVIDIA's threshold for replacement"
            yield failed(device.subject, said, severity=Severity.CRITICAL)
        elif action.lower() in WANTED:
            yield failed(device.subject, f"the driver asks for: {action}")
        elif more.channel_repair_pending or more.tpc_repair_pending:
            what = "a memory channel" if more.channel_repair_pending else "a TPC"
            said = f"the repair of {what} is pending: it takes effect with the next reset"
            yield failed(device.subject, said, severity=Severity.MEDIUM)
        elif _partly(more):
            yield unknown(device.subject, "the tool does not tell all repairs that are pending")
        elif action.lower() == "none":
            yield passed(device.subject, "the driver asks for no recovery")
        elif action:
            yield unknown(device.subject, f"recovery action {action!r} is not listed")


def _partly(more: NvidiaDevice) -> bool:
    """Newer drivers tell all three of these, older ones none."""
    repairs = (more.channel_repair_pending, more.tpc_repair_pending, more.unrepairable_memory)
    return None in repairs and repairs != (None, None, None)
