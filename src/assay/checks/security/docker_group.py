"""Members of the docker group are root in all but name."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import LocalGroup, UserAccount
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.users import GROUP

ENGINES = ("docker", "podman", "lxd", "incus-admin", "libvirt")
ADMINISTRATORS = ("sudo", "wheel", "admin", "google-sudoers")
NAMED = 5


@check(
    "security.engine-groups",
    asks="Do container groups hold only users who are administrators anyway?",
    severity=Severity.LOW,
    why="Whoever may use the daemon of Docker or LXD can mount the root file system and become "
    "root, without sudo and without its log.",
    fix="Offer rootless containers (Enroot, Apptainer, Podman), or take the users out of the "
    "group with `gpasswd -d USER docker`.",
    see=["https://docs.docker.com/engine/security/#docker-daemon-attack-surface"],
    reproduce="getent group docker lxd sudo wheel",
    plants=[
        plant(
            Edit(
                GROUP.source,
                path="/etc/group",
                old="docker:x:998:ubuntu",
                new="docker:x:998:ubuntu,alice",
            )
        )
    ],
)
def engine_groups(
    groups: Sequence[LocalGroup], accounts: Sequence[UserAccount]
) -> Iterator[Verdict]:
    """Compare container groups with administrators' groups, as far as local files tell."""
    trusted = {"root"}
    for group in groups:
        if group.name in ADMINISTRATORS:
            trusted |= _members(group, accounts)
    for group in groups:
        if group.name not in ENGINES:
            continue
        extra = sorted(_members(group, accounts) - trusted)
        if extra:
            who = ", ".join(extra[:NAMED]) + (
                f" and {len(extra) - NAMED} more" * (len(extra) > NAMED)
            )
            yield failed(HOST, f"group {group.name} makes root of {who}, not in {_of(groups)}")
        else:
            yield passed(
                HOST, f"nobody is in group {group.name} who is no administrator; "
                "users of a directory service are not seen here"
            )  # fmt: skip


def _members(group: LocalGroup, accounts: Sequence[UserAccount]) -> set[str]:
    return {*group.members, *(a.name for a in accounts if a.gid == group.gid)}


def _of(groups: Sequence[LocalGroup]) -> str:
    known = [group.name for group in groups if group.name in ADMINISTRATORS]
    return " or ".join(known) or "any administrators' group"
