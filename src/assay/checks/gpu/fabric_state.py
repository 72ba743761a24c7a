"""On boards with NVSwitch, a GPU that is not in the fabric has no NVLink."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import answering, more_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

# nvmlGpuFabricState_t and nvmlGpuFabricHealthSummary in the tool's words. "" is "N/A": no fabric.
NO_FABRIC = ("", "n/a", "not supported")
NOT_JOINED = ("not started", "in progress")
# What each item of the fabric's health says when all is well, and when it is not. Other words
# than these are unknown.
WELL = {
    "summary": ("healthy",), "bandwidth": ("full",), "incorrect_configuration": ("none",),
    "partition_assigned": ("true", "yes"),
}  # fmt: skip
ILL = {
    "summary": ("unhealthy", "limited capacity"), "bandwidth": ("degraded",),
    "incorrect_configuration": (
        "incorrect system guid", "incorrect sysguid", "incorrect chassis serial number",
        "incorrect chassis sn", "no partition", "insufficient nvlinks", "incompatible gpu firmware",
        "incompatible gpu fw", "invalid location",
    ),
    "partition_assigned": (),
}  # fmt: skip
QUIET = ("n/a", "not supported", "")
_STATE, _STATUS = "<state>Completed</state>", "<status>Success</status>"


@check(
    "gpu.fabric-state",
    asks="Has every GPU joined the NVLink fabric, and is the fabric whole for it?",
    severity=Severity.CRITICAL,
    why="A GPU that has not joined the fabric falls back to PCIe, or CUDA does not start at all.",
    fix="Start nvidia-fabricmanager (or IMEX on NVL72 racks) of the driver's version, then reset "
    "the GPUs.",
    see=["https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html",
         "https://docs.nvidia.com/deploy/nvml-api/group__nvmlFabricDefs.html"],
    reproduce="nvidia-smi -q | grep -A12 Fabric",
    plants=[
        plant(Edit(XML.source, old=_STATE, new="<state>In Progress</state>"), name="not joined"),
        plant(Edit(XML.source, old=_STATUS, new="<status>Insufficient Resources</status>"),
              name="failed"),
        plant(Edit(XML.source, old="<summary>N/A<", new="<summary>Unhealthy<"), name="unhealthy"),
    ],
)  # fmt: skip
def fabric_state(
    devices: Sequence[Accelerator], details: Sequence[NvidiaDevice] | None
) -> Iterator[Verdict]:
    """State, status and health in the tool's words; an unlisted word is unknown."""
    for device in answering(devices):
        state, status = device.fabric_state.strip().lower(), device.fabric_status.strip().lower()
        if state in NO_FABRIC:
            continue
        seen = f"fabric state {device.fabric_state}, status {device.fabric_status or 'not given'}"
        more = more_of(device, details)
        ill, strange = _health(more.fabric_health if more else ())
        if state in NOT_JOINED or (state == "completed" and status not in ("success", *NO_FABRIC)):
            yield failed(device.subject, seen)
        elif ill:
            yield failed(device.subject, f"{seen}, health: {ill}", severity=Severity.HIGH)
        elif state == "completed" and status == "success" and not strange:
            yield passed(device.subject, seen)
        else:
            yield unknown(device.subject, f"{seen}, health: {strange}" if strange else seen)


def _health(told: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """What is wrong by the fabric's own account, and what is told in words that are not listed."""
    ill, strange = [], []
    for name, word in told:
        said = word.strip().lower()
        label = f"{name.replace('_', ' ')} {word}"
        if said in ILL.get(name, ("true", "yes")):
            ill.append(label)
        elif said not in WELL.get(name, ("false", "no")) and said not in QUIET:
            strange.append(label)
    return ", ".join(ill), ", ".join(strange)
