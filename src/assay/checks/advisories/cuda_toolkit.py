"""Are the CUDA toolkits free of known vulnerabilities?"""

from collections.abc import Iterator, Sequence

from assay.advisories import inventory, verdicts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.containers import ToolkitSetting
from assay.model.facts.software import ChangelogFix, Package, Software
from assay.model.facts.system import OperatingSystem
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.cuda import TOOLKITS


@check(
    "advisories.cuda-toolkit",
    asks="Are the CUDA toolkits free of known vulnerabilities?",
    severity=Severity.HIGH,
    why="Its binary tools crash or run code on crafted files that users exchange.",
    fix="Install the toolkit release that the finding names, and remove the old ones.",
    see=["https://developer.nvidia.com/cuda-toolkit-archive"],
    reproduce="cat /usr/local/cuda/version.json",
    plants=[
        plant(
            Edit(TOOLKITS.source, "12.6.2", "13.1.0", "/usr/local/cuda/version.json"),
            name="update 2 of 12.6",
        )
    ],
)
def cuda_toolkit(
    packages: Sequence[Package],
    software: Sequence[Software],
    systems: Sequence[OperatingSystem],
    changelog: Sequence[ChangelogFix] | None,
    settings: Sequence[ToolkitSetting] | None,
) -> Iterator[Verdict]:
    """Judge each copy: packages of the distribution, of vendors, and binaries in use."""
    things = inventory.of_host(packages, software, systems)
    known = inventory.host(packages, software, changelog, settings=settings)
    yield from verdicts.judge(verdicts.of_group(things, "cuda"), known)
