"""Each major release of CUDA needs a driver of its time."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.software import Software
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes import cuda

# First driver branch that runs a major release by minor-version compatibility: CUDA release
# notes, table "CUDA Toolkit and Minimum Required Driver Version".
FIRST_BRANCH = {11: 450, 12: 525, 13: 580}
SEE = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/"


@check(
    "software.cuda-driver",
    asks="Is the driver new enough for the installed CUDA toolkits?",
    severity=Severity.MEDIUM,
    why='Programs of a toolkit that is newer than the driver stop with "CUDA driver version is '
    'insufficient".',
    fix="Update the driver to the branch that the toolkit asks for, or install an older toolkit.",
    see=[SEE, "https://docs.nvidia.com/deploy/cuda-compatibility/"],
    reproduce="cat /usr/local/cuda/version.json | head -5; head -1 /proc/driver/nvidia/version",
    plants=[
        plant(
            Edit(
                cuda.MODULE.source,
                path="/proc/driver/nvidia/version",
                old="580.173.02",
                new="570.211.01",
            )
        )
    ],
)
def cuda_driver(software: Sequence[Software], drivers: Sequence[NvidiaModule]) -> Iterator[Verdict]:
    """Every toolkit against the loaded driver."""
    toolkits = {t.version: t.path for t in software if t.component == "cuda-toolkit"}
    if not drivers:
        yield not_applicable(HOST, "no NVIDIA driver is loaded")
        return
    branch = int(drivers[0].version.partition(".")[0])
    for version, path in sorted(toolkits.items()):
        if not version:
            yield unknown("CUDA toolkit", f"the version could not be read ({path or 'no path'})")
            continue
        first = FIRST_BRANCH.get(int(version.partition(".")[0]))
        if first is None:
            yield unknown(f"CUDA {version}", "we do not know which driver this release needs")
        elif branch < first:
            because = f"needs driver {first} or later, {drivers[0].version} is loaded ({path})"
            yield failed(f"CUDA {version}", because)
        else:
            yield passed(f"CUDA {version}", f"driver {drivers[0].version}, {first} is enough")
