"""A sudo rule for everybody makes every tenant root on a shared node."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import SudoRule
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.users_sudo import SUDOERS

EVERYBODY = ("ALL", "%ALL", "%users", "%domain users", "%Domain Users", "%everyone")


@check(
    "security.sudo-everyone",
    asks="Is root without a password kept from ordinary users?",
    severity=Severity.HIGH,
    why="With a rule for everybody, any account and any service that is taken over is root.",
    fix="Name the administrators' group in the rule (`%sudo` or `%wheel`) with visudo.",
    see=["https://www.sudo.ws/docs/man/sudoers.man/"],
    reproduce="sudo grep -rE '^(ALL|%users)' /etc/sudoers /etc/sudoers.d",
    plants=[
        plant(
            Edit(
                SUDOERS.source,
                path="/etc/sudoers.d/90-tenants",
                new="ALL ALL=(ALL:ALL) NOPASSWD: ALL\n",
            )
        )
    ],
)
def sudo_everyone(rules: Sequence[SudoRule]) -> Iterator[Verdict]:
    """Rules that give everything to everybody."""
    if not rules:
        return
    free = [rule for rule in rules if rule.everything and not rule.password]
    open_to_all = [rule for rule in free if rule.who in EVERYBODY]
    for rule in open_to_all:
        yield failed(HOST, f"{rule.path}: {rule.who} becomes root without a password")
    if not open_to_all:
        named = ", ".join(sorted({rule.who for rule in free})) or "nobody"
        yield passed(HOST, f"of {len(rules)} rules, root without a password is for: {named}")
