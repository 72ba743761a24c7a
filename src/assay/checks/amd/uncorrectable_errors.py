"""Errors in the blocks of AMD GPUs that their protection could not correct."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.device import RasBlock
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.amd_sysfs import ERRORS, ROOT


@check(
    "amd.uncorrectable-errors",
    asks="Has every block of every AMD GPU been free of uncorrectable errors since it started?",
    severity=Severity.CRITICAL,
    why="An uncorrectable error in UMC is lost data in HBM, in GFX or SDMA a wrong result, in "
    "XGMI_WAFL a broken link; jobs die, or go on with poisoned data.",
    fix="Drain the node, reset the GPU, run AMD's field diagnostics (AGFHC), and have the GPU "
    "replaced when errors come back.",
    see=[
        "https://www.kernel.org/doc/html/latest/gpu/amdgpu/ras.html",
        "https://rocm.docs.amd.com/projects/amdsmi/en/latest/how-to/amdsmi-cli-tool.html",
    ],
    reproduce="amd-smi metric --ecc --ecc-blocks; cat /sys/class/drm/card*/device/ras/*_err_count",
    plants=[
        plant(
            Edit(
                ERRORS.source,
                path=ROOT + "card9/device/ras/umc_err_count",
                new="ue: 1\nce: 12\nde: 0\n",
            ),
            host="mi300x",
            name="memory",
        ),
        plant(
            Edit(
                ERRORS.source,
                path=ROOT + "card49/device/ras/xgmi_wafl_err_count",
                new="ue: 3\nce: 0\nde: 0\n",
            ),
            host="mi300x",
            name="link",
        ),
    ],
)
def uncorrectable_errors(blocks: Sequence[RasBlock]) -> Iterator[Verdict]:
    """Count by GPU; the driver's files and amd-smi tell of the same counters."""
    by_gpu: dict[str, list[RasBlock]] = defaultdict(list)
    for block in blocks:
        by_gpu[block.device or f"gpu {block.index}"].append(block)
    for gpu, of_gpu in by_gpu.items():
        counted = {block.block: 0 for block in of_gpu if block.uncorrected is not None}
        for block in of_gpu:
            if block.uncorrected is not None:
                counted[block.block] = max(counted[block.block], block.uncorrected)
        bad = {name: number for name, number in counted.items() if number}
        if bad:
            told = ", ".join(f"{number} in {name}" for name, number in bad.items())
            yield failed(gpu, f"uncorrectable errors: {told}; none is allowed")
        elif counted:
            yield passed(gpu, f"no uncorrectable error in {len(counted)} blocks")
        else:
            yield unknown(gpu, f"no errors were counted in any of its {len(of_gpu)} blocks")
