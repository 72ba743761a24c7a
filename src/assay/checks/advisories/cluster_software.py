"""Are Slurm, MUNGE, Kubernetes and their neighbours free of known vulnerabilities?"""

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
    "advisories.cluster-software",
    asks="Are Slurm, MUNGE, Kubernetes and their neighbours free of known vulnerabilities?",
    severity=Severity.HIGH,
    why="Whoever breaks the scheduler's authentication runs jobs as anybody, everywhere.",
    fix="Upgrade to the release that the finding names: slurmdbd, then slurmctld, then nodes.",
    see=["https://www.schedmd.com/security-policy/"],
    reproduce="slurmd -V; munge --version",
    plants=[
        plant(
            Edit(DPKG.source, "0.5.17-1", "0.5.18-1", count=0),
            Edit("munge --version", "munge-0.5.17", "munge-0.5.18"),
            name="MUNGE",
        )
    ],
)
def cluster_software(
    packages: Sequence[Package],
    software: Sequence[Software],
    systems: Sequence[OperatingSystem],
    changelog: Sequence[ChangelogFix] | None,
    settings: Sequence[ToolkitSetting] | None,
) -> Iterator[Verdict]:
    """Judge each copy: packages of the distribution, of vendors, and binaries in use."""
    things = inventory.of_host(packages, software, systems)
    known = inventory.host(packages, software, changelog, settings=settings)
    for group in ("scheduler", "kubernetes", "workload"):
        yield from verdicts.judge(verdicts.of_group(things, group), known)
