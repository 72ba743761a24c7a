"""Does the distribution still publish security fixes?"""

from collections.abc import Iterator, Sequence

from assay.advisories import ages
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.system import OperatingSystem
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.os_release import OS_RELEASE


@check(
    "advisories.distribution-supported",
    asks="Does the distribution still publish security fixes for this release?",
    severity=Severity.HIGH,
    why="After its end a release gets no fixes for the kernel, OpenSSH or glibc.",
    fix="Rebuild the node image on a supported release, or buy extended maintenance.",
    see=["https://endoflife.date/", "https://ubuntu.com/about/release-cycle"],
    reproduce="cat /etc/os-release",
    plants=[
        plant(
            Edit(OS_RELEASE.source, 'VERSION_ID="20.04"', 'VERSION_ID="22.04"', "/etc/os-release")
        )
    ],
)
def distribution_supported(systems: Sequence[OperatingSystem]) -> Iterator[Verdict]:
    """Look the release up in the table of lifecycles; extended (paid) support does not count."""
    for system in systems:
        if not system.id or not system.version:
            continue  # a rolling release
        version = system.version
        cycles = (version, ".".join(version.split(".")[:2]), version.partition(".")[0])
        yield ages.verdict(system.id, system.name or system.id, version, cycles)
