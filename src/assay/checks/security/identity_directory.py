"""Accounts that are copied from node to node by hand drift apart and are never removed."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import NameService
from assay.model.facts.software import Software
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.identity import NSSWITCH

DIRECTORIES = {
    "sss": "SSSD", "ldap": "LDAP", "winbind": "Active Directory by winbind", "nis": "NIS",
    "oslogin": "OS Login", "cache_oslogin": "OS Login", "slurm": "Slurm's nss_slurm",
    "nisplus": "NIS+", "aad": "Entra ID", "himmelblau": "Entra ID", "cmd": "an agent",
}  # fmt: skip


@check(
    "security.identity-directory",
    asks="Do users of this Slurm node come from a directory?",
    severity=Severity.INFO,
    why="With a directory, one entry adds or removes a user everywhere, and single sign-on and "
    "groups follow; local accounts have to be copied to every node.",
    fix="Join the nodes to the directory with SSSD, or use the cloud's OS Login.",
    see=["https://sssd.io/docs/introduction.html", "https://slurm.schedmd.com/nss_slurm.html"],
    reproduce="grep ^passwd: /etc/nsswitch.conf",
    plants=[
        plant(
            Edit(
                NSSWITCH.source,
                path="/etc/nsswitch.conf",
                old="passwd:         files systemd sss",
                new="passwd:         files systemd",
            )
        )
    ],
)
def identity_directory(
    services: Sequence[NameService], software: Sequence[Software] | None
) -> Iterator[Verdict]:
    """The sources of the passwd database, on nodes that have Slurm."""
    if not any(tool.component == "slurm" for tool in software or ()):
        return
    for service in services:
        if service.database != "passwd":
            continue
        found = [DIRECTORIES[source] for source in service.sources if source in DIRECTORIES]
        if found:
            yield passed(HOST, f"users come from {', '.join(found)}")
        else:
            sources = " ".join(service.sources) or "nothing"
            yield failed(HOST, f"users come from {sources}, no directory that we know")
