"""Is the running GPU driver free of known vulnerabilities?"""

from collections.abc import Iterator, Sequence

from assay.advisories import inventory, verdicts
from assay.advisories.host import NOTHING
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.software import Package, Software
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.cuda import MODULE


@check(
    "advisories.gpu-driver",
    asks="Is the running GPU driver (or ROCm release) free of known vulnerabilities?",
    severity=Severity.HIGH,
    why="A hole in the kernel driver lets any tenant with a GPU take the node.",
    fix="Install the driver build that the finding names, from the same branch, and reboot.",
    see=["https://www.nvidia.com/en-us/security/"],
    reproduce="cat /proc/driver/nvidia/version",
    plants=[
        plant(
            Edit(MODULE.source, "580.95.05", "580.173.02", "/proc/driver/nvidia/version"),
            name="13 CVEs",
        )
    ],
)
def gpu_driver(
    modules: Sequence[NvidiaModule],
    accelerators: Sequence[Accelerator] | None,
    packages: Sequence[Package] | None,
    software: Sequence[Software] | None,
) -> Iterator[Verdict]:
    """Compare inside the driver's branch; a branch past its end of life is unknown, not clear."""
    things = inventory.of_driver(
        accelerators or (),
        [module.version for module in modules],
        list(inventory.of_packages(packages or ())),
    )
    yield from verdicts.judge(things, NOTHING)
    yield from verdicts.judge(inventory.of_rocm(software or (), accelerators or ()), NOTHING)
