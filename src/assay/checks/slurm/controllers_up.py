"""A controller whose backup is dead has no backup."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmController
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG


@check(
    "slurm.controllers-up",
    asks="Do all of Slurm's controllers answer?",
    severity=Severity.MEDIUM,
    why="With one of them down, the next failure stops submission and scheduling of the cluster.",
    fix="Start slurmctld on that host and look into its log; test with `scontrol ping`.",
    see=[SLURM_CONF + "#OPT_SlurmctldHost"],
    reproduce="scontrol ping",
    plants=[plant(Edit(CONFIG.source, old="at head-002 is UP", new="at head-002 is DOWN"))],
)
def controllers_up(controllers: Sequence[SlurmController]) -> Iterator[Verdict]:
    """Every slurmctld that the configuration names."""
    for controller in controllers:
        because = f"slurmctld ({controller.role}) at {controller.host} is {controller.status}"
        if controller.status == "UP":
            yield passed(f"slurmctld {controller.role}", because)
        elif controller.status == "DOWN":
            yield failed(f"slurmctld {controller.role}", because)
        else:
            yield unknown(f"slurmctld {controller.role}", because)
