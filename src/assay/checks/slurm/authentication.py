"""Without authentication anybody who reaches slurmctld is whoever they say."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, named, setting
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG

GOOD = {"auth/munge", "auth/slurm", "cred/munge", "cred/slurm"}
BAD = {"", "auth/none", "cred/none", "crypto/none"}


@check(
    "slurm.authentication",
    asks="Does Slurm authenticate who talks to its daemons?",
    severity=Severity.CRITICAL,
    why="With auth/none every process that reaches slurmctld or slurmd can act as root.",
    fix="Set AuthType and CredType to auth/munge (cred/munge) or auth/slurm, with a key that only"
    " the daemon's user can read, and restart all daemons.",
    see=["https://slurm.schedmd.com/authentication.html", SLURM_CONF + "#OPT_AuthType"],
    reproduce="scontrol show config | grep -E 'AuthType|CredType'",
    plants=[
        plant(Edit(CONFIG.source, old="AuthType                = auth/munge",
                   new="AuthType                = auth/none")),
    ],
)  # fmt: skip
def authentication(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """AuthType and CredType."""
    if not settings:
        return
    for name in ("AuthType", "CredType"):
        value = setting(settings, name)
        if value is None and name == "CredType":
            continue  # old versions call it CryptoType
        if value in GOOD:
            yield passed(name, f"{name} is {value}")
        elif value is not None and value in BAD and (value or name == "AuthType"):
            yield failed(name, f"{name} is {named(value)}")
        else:
            yield unknown(name, f"{name} is {value}, which is not known here" if value else
                          f"the controller did not say its {name}")  # fmt: skip
