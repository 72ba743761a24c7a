"""Without accounting nobody can tell who used which GPUs, nor enforce limits."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, counts_gpus, named, setting, words
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG

STORED = {"accounting_storage/slurmdbd", "accounting_storage/mysql"}
NOT_STORED = {"", "accounting_storage/none"}
GATHERED = {"jobacct_gather/cgroup", "jobacct_gather/linux"}
NOT_GATHERED = {"", "jobacct_gather/none"}


@check(
    "slurm.accounting",
    asks="Does Slurm keep accounts of jobs, of what they use, and of GPUs?",
    severity=Severity.MEDIUM,
    why="Without a database sacct is empty: no usage by user, no limits, no proof of lost hours.",
    fix="Run slurmdbd; set AccountingStorageType=accounting_storage/slurmdbd,"
    " JobAcctGatherType=jobacct_gather/cgroup and AccountingStorageTRES=gres/gpu.",
    see=["https://slurm.schedmd.com/accounting.html", SLURM_CONF],
    reproduce="scontrol show config | grep -E 'AccountingStorage(Type|TRES)|JobAcctGatherType'",
    plants=[
        plant(Edit(CONFIG.source, old="accounting_storage/slurmdbd", new="accounting_storage/none"),
              name="no accounting storage"),
        plant(Edit(CONFIG.source, old="jobacct_gather/cgroup", new="jobacct_gather/none"),
              name="no usage is gathered"),
        plant(Edit(CONFIG.source, old=",gres/gpu\n", new="\n"), name="GPUs are not accounted"),
    ],
)  # fmt: skip
def accounting(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """The storage, the gatherer of usage, and the resources that are accounted."""
    if not settings:
        return
    yield from _plugin(settings, "AccountingStorageType", STORED, NOT_STORED, None)
    yield from _plugin(settings, "JobAcctGatherType", GATHERED, NOT_GATHERED, Severity.LOW)
    tres = setting(settings, "AccountingStorageTRES")
    if counts_gpus(settings) and tres is not None:
        if "gres/gpu" in words(tres):
            yield passed("AccountingStorageTRES", "it has gres/gpu")
        else:
            because = f"GresTypes has gpu, AccountingStorageTRES has no gres/gpu: {named(tres)}"
            yield failed("AccountingStorageTRES", because, severity=Severity.LOW)


def _plugin(
    settings: Sequence[SlurmSetting],
    name: str,
    good: set[str],
    bad: set[str],
    severity: Severity | None,
) -> Iterator[Verdict]:
    value = setting(settings, name)
    if value in good:
        yield passed(name, f"{name} is {value}")
    elif value is not None and value in bad:
        yield failed(name, f"{name} is {named(value)}", severity=severity)
    else:
        yield unknown(name, f"{name} is {value}, which is not known here" if value else
                      f"the controller did not say its {name}")  # fmt: skip
