"""A second account with user id 0 is a second root that nobody watches."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import UserAccount
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.users import PASSWD


@check(
    "security.uid-zero",
    asks="Is root the only account with user id 0?",
    severity=Severity.HIGH,
    why="Any account with user id 0 is root under another name, past sudo and its log.",
    fix="Give the account a user id of its own, or remove it; use sudo for administration.",
    see=["https://man7.org/linux/man-pages/man5/passwd.5.html"],
    reproduce="awk -F: '$3 == 0' /etc/passwd",
    plants=[
        plant(
            Edit(
                PASSWD.source,
                path="/etc/passwd",
                old="daemon:x:1:1:",
                new="support:x:0:0::/root:/bin/bash\ndaemon:x:1:1:",
            )
        )
    ],
)
def uid_zero(accounts: Sequence[UserAccount]) -> Iterator[Verdict]:
    """Every account with user id 0."""
    if not accounts:
        return
    others = [account.name for account in accounts if account.uid == 0 and account.name != "root"]
    for name in others:
        yield failed(HOST, f"{name} has user id 0, only root may")
    if not others:
        if any(account.uid == 0 for account in accounts):
            yield passed(HOST, f"root alone has user id 0, among {len(accounts)} accounts")
        else:
            yield unknown(HOST, f"none of {len(accounts)} accounts has user id 0, not even root")
