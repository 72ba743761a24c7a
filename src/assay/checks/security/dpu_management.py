"""The host's door into a DPU leads past everything that the DPU is meant to enforce."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import PathMode
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.device_exposure import DEVICES, INTERFACES


@check(
    "security.dpu-management",
    asks="Is the management of the DPU hidden from this node?",
    severity=Severity.HIGH,
    why="Over rshim, root on the node can log in to the DPU or install another system on it, and "
    "with that undo the isolation of its tenants.",
    fix="Set the DPU to zero-trust mode, so that the host has no rshim, and remove the rshim "
    "package from tenant images.",
    see=["https://docs.nvidia.com/networking/display/bluefielddpubspv420/modes+of+operation"],
    reproduce="ls -d /dev/rshim* /sys/class/net/tmfifo_net*",
    plants=[
        plant(Edit(DEVICES.source, path="/dev/rshim0/console", new="c 0600 0 0 239:0 0")),
        plant(Edit(INTERFACES.source, path="/sys/class/net/tmfifo_net0", new="l 0777 0 0 - 0")),
    ],
)
def dpu_management(paths: Sequence[PathMode]) -> Iterator[Verdict]:
    """Traces of rshim: its devices and its network interface."""
    listed = {path.path for path in paths}
    if not {"/dev/null", "/sys/class/net/lo"} <= listed:
        return  # both listings are needed
    found = sorted(p for p in listed if p.startswith(("/dev/rshim", "/sys/class/net/tmfifo")))
    for path in found:
        yield failed(path, "the node reaches the DPU's own system through it")
    if not found:
        yield passed(HOST, "no rshim device in /dev and no tmfifo interface")
