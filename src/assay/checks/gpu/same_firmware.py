"""Accelerators of one job should not differ in their firmware."""

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
    fix="Bring the odd boards to the firmware of the others, or replace them.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=name,vbios_version --format=csv,noheader | sort -u",
    plants=[
        plant(
            Edit(
                XML.source,
                old="<vbios_version>96.00.D9.00.01<",
                new="<vbios_version>96.00.74.00.01<",
                count=0,
            )
        )
    ],
)
def same_firmware(
    devices: Fleet[Accelerator], machines: Fleet[Machine] | None
) -> Iterator[Verdict]:
    """Compare nodes of the same product; nodes that tell none are left out."""
    said: dict[str, str] = {}
    for group in devices:
        firmwares = sorted({device.firmware for device in group.facts if device.firmware})
        if firmwares:
            said |= dict.fromkeys(group.nodes, " and ".join(firmwares))
    yield from compared(
        said, products(machines) if machines else {}, "the firmware of the accelerators"
    )
