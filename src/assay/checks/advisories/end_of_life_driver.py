"""Does NVIDIA still fix this driver branch?"""

from collections.abc import Iterator, Sequence

from assay.advisories import ages
from assay.advisories.versions import BadVersion, parse
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import NvidiaModule
from assay.model.finding import HOST, Verdict, unknown
from assay.model.outcome import Severity
from assay.probes.cuda import MODULE


@check(
    "advisories.driver-supported",
    asks="Does NVIDIA still fix the branch of the running driver?",
    severity=Severity.HIGH,
    why="Bulletins do not name a branch past its end of life, so no advisory means nothing.",
    fix="Move to a long-term or production branch that is supported; it also runs older CUDA.",
    see=[
        "https://docs.nvidia.com/datacenter/tesla/drivers/supported-drivers-and-cuda-toolkit-versions.html"
    ],
    reproduce="cat /proc/driver/nvidia/version",
    plants=[plant(Edit(MODULE.source, "570.211.01", "580.173.02", "/proc/driver/nvidia/version"))],
)
def driver_supported(modules: Sequence[NvidiaModule]) -> Iterator[Verdict]:
    """Look the branch up in NVIDIA's table."""
    for version in dict.fromkeys(module.version for module in modules):
        try:
            branch = parse("driver", version).branch
        except BadVersion as bad:
            yield unknown(HOST, f"unknown version: {bad}")
            continue
        yield ages.verdict("nvidia-driver", f"driver {version}", branch, (branch,))
