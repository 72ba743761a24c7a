"""Do the accelerators of all nodes of one kind run the same firmware: one odd node spoils "
"a job of many."""

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


@check(
    "gpu.same-firmware",
    asks="Do the accelerators of all nodes of one kind run the same firmware?",
    severity=Severity.MEDIUM,
    why="Mixed firmware means mixed bugs, power limits and features within one job.",
    fix="Bring the odd nodes to the image and firmware of the others, or replace the odd boards.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=name,driver_version,vbios_version,memory.total --format=csv",
    plants=[plant(Edit(XML.source, old="<vbios_version>96.00.D9.00.01<", new="<vbios_version>96.00.74.00.01<", count=0))],
)  # fmt: skip
def same_firmware(
    devices: Fleet[Accelerator], machines: Fleet[Machine] | None
) -> Iterator[Verdict]:
    """Compare nodes of the same product; nodes without accelerators are left out."""
    said = {}
    for group in devices:
        counts = Counter(device.firmware for device in group.facts)
        words = ", ".join(f"{n} x {value or 'unnamed'}" for value, n in sorted(counts.items()))
        if counts:
            said |= dict.fromkeys(group.nodes, words)
    yield from compared(
        said, products(machines) if machines else {}, "the firmware of the accelerators"
    )
