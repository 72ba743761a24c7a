"""A job over nodes with different drivers fails in strange ways."""

from collections.abc import Iterator

from assay.checks.gpu.parts import NVML
from assay.checks.system.majority import compared, products
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.dmi import Machine
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

DRIVER = "580.173.02"  # of the reference host


@check(
    "gpu.same-driver",
    asks="Do all nodes of one kind run the same accelerator driver?",
    severity=Severity.HIGH,
    why="A job over nodes with different drivers fails in strange ways, and the old one lacks "
    "fixes.",
    fix="Bring the odd nodes to the image of the others; reboot after a driver upgrade.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=driver_version --format=csv,noheader | sort -u",
    plants=[
        plant(
            Edit(
                XML.source,
                old=f"<driver_version>{DRIVER}<",
                new="<driver_version>535.104.05<",
            )
        )
    ],
)
def same_driver(devices: Fleet[Accelerator], machines: Fleet[Machine] | None) -> Iterator[Verdict]:
    """Compare nodes of the same product; nodes that tell none are left out."""
    said: dict[str, str] = {}
    for group in devices:
        versions = sorted({device.driver for device in group.facts if device.driver})
        if versions:
            said |= dict.fromkeys(group.nodes, " and ".join(versions))
    yield from compared(said, products(machines) if machines else {}, "the driver")
