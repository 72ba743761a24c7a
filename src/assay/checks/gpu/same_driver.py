"""Do all nodes of one kind run the same accelerator driver: one odd node spoils a job of many."""

from collections import Counter
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
    fix="Bring the odd nodes to the image and firmware of the others, or replace the odd boards.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=name,driver_version,vbios_version,memory.total --format=csv",
    plants=[plant(Edit(XML.source, old=f"<driver_version>{DRIVER}<", new="<driver_version>535.104.05<", count=0))],
)  # fmt: skip
def same_driver(devices: Fleet[Accelerator], machines: Fleet[Machine] | None) -> Iterator[Verdict]:
    """Compare nodes of the same product; nodes without accelerators are left out."""
    said = {}
    for group in devices:
        counts = Counter(device.driver for device in group.facts)
        words = ", ".join(f"{n} x {value or 'unnamed'}" for value, n in sorted(counts.items()))
        if counts:
            said |= dict.fromkeys(group.nodes, words)
    yield from compared(said, products(machines) if machines else {}, "the driver")
