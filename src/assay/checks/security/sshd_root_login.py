"""Root by password over the network is what every bot tries first."""

from collections.abc import Iterator, Sequence

from assay.checks.security.sshd_effective import SEE, passwords, scopes, subject, value
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import SshdOption
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.sshd import CONFIG

KEYS_ONLY = ("no", "prohibit-password", "without-password", "forced-commands-only")


@check(
    "security.sshd-root-login",
    asks="Is root kept from logging in with a password over SSH?",
    severity=Severity.HIGH,
    why="A guessed or reused root password is the whole node, and no log says who it was.",
    fix="Set `PermitRootLogin prohibit-password` before any other value, and reload sshd.",
    see=[SEE],
    reproduce="sudo sshd -T | grep -iE 'permitrootlogin|passwordauth|kbdinteractive'",
    plants=[
        plant(
            Edit(
                CONFIG.source,
                path="/etc/ssh/sshd_config.d/10-planted.conf",
                new="PermitRootLogin yes\nPasswordAuthentication yes\n",
            )
        ),
        plant(
            Edit(
                CONFIG.source,
                path="/etc/ssh/sshd_config",
                old="PasswordAuthentication no\nKbd",
                new="PasswordAuthentication yes\nPermitRootLogin yes\nKbd",
            ),
            host="mi300x",
        ),
    ],
)
def sshd_root_login(options: Sequence[SshdOption]) -> Iterator[Verdict]:
    """PermitRootLogin for everybody and in each Match block."""
    if not options:
        return
    for scope in scopes(options):
        root, password = value(options, "permitrootlogin", scope), passwords(options, scope)
        if scope and root == value(options, "permitrootlogin") and password == passwords(options):
            continue  # nothing of its own to say
        if root in KEYS_ONLY:
            yield passed(subject(scope), f"PermitRootLogin is {root}")
        elif root != "yes":
            yield unknown(subject(scope), f"PermitRootLogin is {root!r}, no value of OpenSSH's")
        elif password:
            yield failed(
                subject(scope),
                f"PermitRootLogin is yes and {password}",
                severity=Severity.MEDIUM if scope else None,
            )
        else:
            yield passed(subject(scope), "PermitRootLogin is yes, but no password is accepted")
