"""Options of sshd that have safe defaults and are dangerous otherwise."""

from collections.abc import Iterator, Sequence

from assay.checks.security.sshd_effective import SEE, scopes, subject, value
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import SshdOption
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.sshd import CONFIG

# keyword -> its name, safe values, what goes wrong otherwise, how bad
SAFE: dict[str, tuple[str, tuple[str, ...], str, Severity]] = {
    "permitemptypasswords": ("PermitEmptyPasswords", ("no",),
                             "accounts without a password are open", Severity.CRITICAL),
    "strictmodes": ("StrictModes", ("yes",),
                    "keys in files that others may write are accepted", Severity.MEDIUM),
    "ignorerhosts": ("IgnoreRhosts", ("yes", "shosts-only"),
                     "users decide which hosts are trusted", Severity.LOW),
    "permituserenvironment": ("PermitUserEnvironment", ("no",),
                              "users can get around forced commands", Severity.LOW),
    "gatewayports": ("GatewayPorts", ("no",),
                     "tunnels of users listen for the whole network", Severity.LOW),
}  # fmt: skip


@check(
    "security.sshd-options",
    asks="Does sshd keep its safe defaults?",
    severity=Severity.CRITICAL,
    why="Each of these options opens a door that OpenSSH keeps shut by default.",
    fix="Remove the option from sshd_config and its drop-ins, and reload sshd.",
    see=[SEE],
    reproduce="sudo sshd -T | grep -iE 'emptypasswords|strictmodes|rhosts|userenv|gatewayports'",
    plants=[
        plant(
            Edit(
                CONFIG.source,
                path="/etc/ssh/sshd_config",
                old="#PermitEmptyPasswords no",
                new="PermitEmptyPasswords yes",
            )
        )
    ],
)
def sshd_options(options: Sequence[SshdOption]) -> Iterator[Verdict]:
    """Every such option that is not at a safe value, for everybody and in Match blocks."""
    if not options:
        return
    lax = False
    for scope in scopes(options):
        for keyword, (name, safe, harm, severity) in SAFE.items():
            found = value(options, keyword, scope)
            if found in safe or (scope and found == value(options, keyword)):
                continue
            lax = True
            yield failed(
                subject(scope), f"{name} is {found}, expected {safe[0]}: {harm}", severity=severity
            )
    if not lax:
        yield passed(subject(""), ", ".join(name for name, *_ in SAFE.values()) + " are safe")
