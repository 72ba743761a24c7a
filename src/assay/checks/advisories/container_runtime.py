"""Are the container engines and runtimes free of known vulnerabilities?"""

from collections.abc import Iterator, Sequence

from assay.advisories import inventory, verdicts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.containers import ToolkitSetting
from assay.model.facts.software import ChangelogFix, Package, Software
from assay.model.facts.system import OperatingSystem
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "advisories.container-runtime",
    asks="Are the container engines and runtimes free of known vulnerabilities?",
    severity=Severity.HIGH,
    why="A container escape gives a tenant the whole node, and every job on it.",
    fix="Upgrade the engine that the finding names; restart it, and the containers it started.",
    see=["https://github.com/opencontainers/runc/security/advisories"],
    reproduce="runc --version; containerd --version; docker version",
    plants=[
        plant(
            Edit("runc --version", "runc version 1.1.5", "runc version 1.3.6"), name="an old binary"
        )
    ],
)
def container_runtime(
    packages: Sequence[Package],
    software: Sequence[Software],
    systems: Sequence[OperatingSystem],
    changelog: Sequence[ChangelogFix] | None,
    settings: Sequence[ToolkitSetting] | None,
) -> Iterator[Verdict]:
    """Judge each copy: packages of the distribution, of vendors, and binaries in use."""
    things = inventory.of_host(packages, software, systems)
    known = inventory.host(packages, software, changelog, settings=settings)
    yield from verdicts.judge(verdicts.of_group(things, "runtime"), known)
