"""An empty password field opens an account; a hash in /etc/passwd can be cracked by anyone."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import UserAccount
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.users import PASSWD


@check(
    "security.account-passwords",
    asks="Is every local password kept out of /etc/passwd?",
    severity=Severity.CRITICAL,
    why="An empty field lets anybody in without a password, and a hash in a file that all may "
    "read can be cracked at leisure.",
    fix="Run `pwconv` to move hashes to /etc/shadow, and `passwd -l NAME` for accounts that "
    "nobody logs in to.",
    see=["https://man7.org/linux/man-pages/man5/passwd.5.html"],
    reproduce="awk -F: '$2 !~ /^[x*!]/ {print $1}' /etc/passwd",
    plants=[
        plant(
            Edit(PASSWD.source, path="/etc/passwd", old="root:x:0:", new="root::0:"), name="empty"
        ),
        plant(
            Edit(
                PASSWD.source,
                path="/etc/passwd",
                old="ubuntu:x:",
                new="ubuntu:$6$planted$notarealhash:",
            ),
            name="hash",
        ),
    ],
)
def account_passwords(accounts: Sequence[UserAccount]) -> Iterator[Verdict]:
    """The password field of every account."""
    sound = 0
    for account in accounts:
        match account.password:
            case "shadowed" | "locked":
                sound += 1
            case "empty" if account.login:
                yield failed(HOST, f"{account.name} has an empty password in /etc/passwd")
            case "empty":
                because = f"{account.name} has an empty password in /etc/passwd and no login shell"
                yield failed(HOST, because, severity=Severity.MEDIUM)
            case "hash":
                because = f"{account.name} has its password hash in /etc/passwd, where all read it"
                yield failed(HOST, because, severity=Severity.HIGH)
            case other:
                yield unknown(HOST, f"the password field of {account.name} is {other!r}")
    if sound:
        yield passed(HOST, f"{sound} accounts are shadowed or locked; /etc/shadow was not read")
