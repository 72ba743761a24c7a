"""On boards with NVSwitch, a GPU that is not in the fabric has no NVLink."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

NOT_THERE = ("", "n/a", "not supported")
BROKEN = ("not started", "in progress", "failure", "failed", "unrecognized", "invalid")
OLD, STATUS = "<state>Completed</state>", "<status>Success</status>"


@check(
    "gpu.fabric-state",
    asks="Has every GPU joined the NVLink fabric?",
    severity=Severity.CRITICAL,
    why="A GPU whose fabric is not completed falls back to PCIe, or CUDA does not start at all.",
    fix="Start nvidia-fabricmanager (or IMEX on NVL72 racks) of the driver's version, then reset "
    "the GPUs.",
    see=["https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html"],
    reproduce="nvidia-smi -q | grep -A3 Fabric",
    plants=[
        plant(Edit(XML.source, old=OLD, new="<state>In Progress</state>"), name="not joined"),
        plant(Edit(XML.source, old=STATUS, new="<status>Failure</status>"), name="failed"),
    ],
)
def fabric_state(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """State and status in the tool's words; an unlisted word is unknown."""
    for device in devices:
        state, status = device.fabric_state.strip().lower(), device.fabric_status.strip().lower()
        if state in NOT_THERE:
            continue
        seen = f"fabric state {device.fabric_state}, status {device.fabric_status or 'not given'}"
        if state == "completed" and status == "success":
            yield passed(device.subject, seen)
        elif state in BROKEN or any(word in status for word in BROKEN):
            yield failed(device.subject, seen)
        else:
            yield unknown(device.subject, seen)
