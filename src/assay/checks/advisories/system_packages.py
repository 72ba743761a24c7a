"""Are the system's own packages free of known vulnerabilities?"""

from collections.abc import Iterator, Sequence

from assay.advisories import inventory, session, verdicts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.software import ChangelogFix, Package, Software
from assay.model.facts.system import OperatingSystem
from assay.model.finding import HOST, Verdict, unknown
from assay.model.outcome import Outcome, Severity
from assay.probes.packages import DPKG


@check(
    "advisories.system-packages",
    asks="Are OpenSSH, sudo, systemd and the like free of known vulnerabilities?",
    severity=Severity.HIGH,
    why="They face the network or run as root, and every tenant can call them.",
    fix="Take the distribution's security updates: apt upgrade, or dnf upgrade --security.",
    see=["https://ubuntu.com/security/notices", "https://security-tracker.debian.org/tracker/"],
    reproduce="dpkg -l openssh-server sudo systemd libc6; zgrep CVE- /usr/share/doc/sudo/change*",
    plants=[
        plant(
            Edit(
                DPKG.source,
                "sudo\t1.9.16-1\tamd64\tsudo\t1.9.16-1\tTodd C. Miller <Todd.Miller@sudo.ws>",
                "sudo\t1.9.9-1ubuntu2.6\tamd64\tsudo\t1.9.9-1ubuntu2.6\t"
                "Ubuntu Developers <ubuntu-devel-discuss@lists.ubuntu.com>",
            ),
            name="a sudo that no distribution built",
        )
    ],
)
def system_packages(
    packages: Sequence[Package],
    software: Sequence[Software],
    systems: Sequence[OperatingSystem],
    changelog: Sequence[ChangelogFix] | None,
) -> Iterator[Verdict]:
    """The distribution's records and changelogs decide, never the upstream number alone."""
    things = inventory.of_host(packages, software, systems)
    known = inventory.host(packages, software, changelog)
    unverified = []
    for verdict in verdicts.judge(verdicts.of_group(things, "system"), known):
        if verdict.outcome is Outcome.UNKNOWN and "unverified" in verdict.because:
            unverified.append(verdict.subject.partition(" ")[0])
        else:
            yield verdict
    if unverified:
        names = ", ".join(dict.fromkeys(unverified))
        yield unknown(
            HOST,
            f"{names}: built by the distribution, which backports, so their numbers tell nothing;"
            " its feed is not in the database, and no changelog that was read names all fixes;"
            f" {session.current().age}",
        )
