"""The NVMe driver says when a disk has stopped to answer."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.disks import NvmeController
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.block_devices import NVME, NVME_ROOT

LIVE = "live"
# nvme_sysfs_show_state of the kernel's NVMe driver knows these.
BROKEN = frozenset({"dead", "deleting", "deleting (no IO)", "resetting", "connecting", "new"})


@check(
    "storage.nvme-state",
    asks="Is every NVMe controller live?",
    severity=Severity.HIGH,
    why="A dead or resetting controller takes scratch space or the root disk with it.",
    fix="Read the kernel log for its timeouts, update its firmware, reseat or replace the disk.",
    see=[
        "https://www.kernel.org/doc/html/latest/nvme/index.html",
        "https://nvmexpress.org/specifications/",
    ],
    reproduce="grep . /sys/class/nvme/*/state",
    plants=[plant(Edit(NVME.source, path=NVME_ROOT + "nvme3/state", new="dead\n"))],
)
def nvme_state(controllers: Sequence[NvmeController]) -> Iterator[Verdict]:
    """Read the state of each controller."""
    for controller in controllers:
        name, said = controller.name, f"{controller.model or 'controller'} is {controller.state}"
        if controller.state == LIVE:
            yield passed(name, said)
        elif controller.state in BROKEN:
            yield failed(name, f"{said}, {LIVE} is wanted")
        else:
            yield unknown(name, f"its state is {controller.state!r}")
