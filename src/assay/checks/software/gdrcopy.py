"""GDRCopy lets the CPU write into GPU memory without asking the driver."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import NO_FABRIC, NVIDIA, accelerators, fabric_ports
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import PathMode
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed
from assay.model.outcome import Severity
from assay.probes.device_exposure import DEVICES

DEVICE = "/dev/gdrdrv"


@check(
    "software.gdrcopy",
    asks="May ordinary users use GDRCopy?",
    severity=Severity.INFO,
    why="UCX, NVSHMEM and NCCL's network plugins use it for small messages; without it their "
    "latency is several times higher.",
    fix="Install gdrcopy, load gdrdrv at boot and leave its device at mode 0666.",
    see=["https://github.com/NVIDIA/gdrcopy"],
    reproduce="ls -l /dev/gdrdrv; lsmod | grep gdrdrv",
    plants=[plant(Edit(DEVICES.source, path=DEVICE, new="c 0600 0 0 505:0 0"))],
)
def gdrcopy(devices: Sequence[PciDevice], paths: Sequence[PathMode]) -> Iterator[Verdict]:
    """The device of GDRCopy and who may open it."""
    if not accelerators(devices, NVIDIA) or not fabric_ports(devices):
        yield not_applicable(HOST, NO_FABRIC)
        return
    if not any(path.path == "/dev/null" for path in paths):
        return  # the devices of this node were not listed
    found = next((path for path in paths if path.path == DEVICE), None)
    if found is None:
        yield failed(HOST, f"there is no {DEVICE}")
    elif found.others_open and found.others_write:
        yield passed(HOST, f"{DEVICE} has mode {found.mode:04o}")
    else:
        yield failed(HOST, f"{DEVICE} has mode {found.mode:04o}, users need 0666")
