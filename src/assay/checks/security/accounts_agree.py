"""One name with two user ids opens other people's files on a shared file system."""

from collections import defaultdict
from collections.abc import Iterator

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.access import UserAccount
from assay.model.finding import HOST, Verdict, passed
from assay.model.outcome import Outcome, Severity
from assay.probes.users import PASSWD

FIRST_PERSON, LAST_PERSON = 1000, 60000  # UID_MIN and UID_MAX of login.defs
SHARED = ("slurm", "munge")  # Slurm wants these alike on every node


@check(
    "security.accounts-agree",
    asks="Has every user the same user id on all nodes?",
    severity=Severity.MEDIUM,
    why="Shared file systems know numbers, not names: with another number, a user owns what "
    "belongs to somebody else, and jobs start as the wrong one.",
    fix="Take users from one directory (SSSD, OS Login), or give the id by hand with `usermod -u`.",
    see=["https://slurm.schedmd.com/quickstart_admin.html"],
    reproduce="srun -N2 id -u USER",
    plants=[
        plant(Edit(PASSWD.source, path="/etc/passwd", old="slurm:x:64030:", new="slurm:x:64031:"))
    ],
)
def accounts_agree(accounts: Fleet[UserAccount]) -> Iterator[Verdict]:
    """Names of people, of Slurm and of MUNGE over all nodes."""
    nodes_of: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for group in accounts:
        for account in group.facts:
            if FIRST_PERSON <= account.uid < LAST_PERSON or account.name in SHARED:
                nodes_of[account.name][account.uid].extend(group.nodes)
    if accounts.nodes < 2:
        return
    differ = False
    for name, by_id in sorted(nodes_of.items()):
        if len(by_id) == 1:
            continue
        differ = True
        usual = max(by_id, key=lambda uid: (len(by_id[uid]), -uid))
        for uid, nodes in sorted(by_id.items()):
            if uid != usual:
                because = f"{name} has user id {uid}, and {usual} on {len(by_id[usual])} nodes"
                yield Verdict(Outcome.FAIL, HOST, because, nodes=tuple(nodes))
    if not differ:
        yield passed(HOST, f"{len(nodes_of)} names agree on {accounts.nodes} nodes")
