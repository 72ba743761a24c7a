"""Are the NVIDIA Container Toolkit and what belongs to it free of known vulnerabilities?"""

from collections.abc import Iterator, Sequence

from assay.advisories import inventory, verdicts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.containers import ToolkitSetting
from assay.model.facts.software import ChangelogFix, Package, Software
from assay.model.facts.system import OperatingSystem
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.packages import DPKG


@check(
    "advisories.container-toolkit",
    asks="Are the NVIDIA Container Toolkit and what belongs to it free of known vulnerabilities?",
    severity=Severity.HIGH,
    why="Its hooks run as root for every GPU container: CVE-2025-23266 was a three-line escape.",
    fix="Upgrade the toolkit on the host, and in the GPU Operator if there is one: both are used.",
    see=["https://www.nvidia.com/en-us/security/"],
    reproduce="nvidia-ctk --version",
    plants=[plant(Edit(DPKG.source, "1.17.7-1", "1.19.1-1", count=0), name="NVIDIAScape")],
)
def container_toolkit(
    packages: Sequence[Package],
    software: Sequence[Software],
    systems: Sequence[OperatingSystem],
    changelog: Sequence[ChangelogFix] | None,
    settings: Sequence[ToolkitSetting] | None,
) -> Iterator[Verdict]:
    """Judge each copy: packages of the distribution, of vendors, and binaries in use."""
    things = inventory.of_host(packages, software, systems)
    known = inventory.host(packages, software, changelog, settings=settings)
    yield from verdicts.judge(verdicts.of_group(things, "toolkit"), known)
