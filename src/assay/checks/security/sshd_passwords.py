"""Passwords over SSH can be guessed, reused and phished; keys and tickets cannot."""

from collections.abc import Iterator, Sequence

from assay.checks.security.sshd_effective import SEE, passwords, subject
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import SshdOption
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.sshd import CONFIG


@check(
    "security.sshd-passwords",
    asks="Does SSH take keys or tickets, not passwords?",
    severity=Severity.MEDIUM,
    why="One weak or reused password of one user lets a stranger onto the cluster.",
    fix="Set `PasswordAuthentication no` and `KbdInteractiveAuthentication no`, and reload sshd.",
    see=[SEE],
    reproduce="sudo sshd -T | grep -iE 'passwordauthentication|kbdinteractive|usepam'",
    plants=[
        plant(
            Edit(
                CONFIG.source,
                path="/etc/ssh/sshd_config.d/10-planted.conf",
                new="PasswordAuthentication yes\n",
            ),
            name="an earlier drop-in wins",
        ),
        plant(
            Edit(
                CONFIG.source,
                path="/etc/ssh/sshd_config",
                old="KbdInteractiveAuthentication no",
                new="KbdInteractiveAuthentication yes",
            ),
            name="keyboard-interactive through PAM",
        ),
    ],
)
def sshd_passwords(options: Sequence[SshdOption]) -> Iterator[Verdict]:
    """Password and keyboard-interactive authentication, for everybody."""
    if not options:
        return
    how = passwords(options)
    if how:
        yield failed(subject(""), f"{how}: a password lets a user in")
    else:
        yield passed(subject(""), "neither PasswordAuthentication nor keyboard-interactive is on")
