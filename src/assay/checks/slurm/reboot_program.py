"""`scontrol reboot` heals nodes between jobs, if Slurm knows how."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, SUBJECT, setting
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG


@check(
    "slurm.reboot-program",
    asks="Can Slurm reboot its nodes?",
    severity=Severity.LOW,
    why="Many GPU faults need a reset or a reboot; without RebootProgram `scontrol reboot asap`"
    " does nothing, and automation has to go around the scheduler.",
    fix="Set RebootProgram, and ResumeTimeout to more than a reboot takes.",
    see=[SLURM_CONF + "#OPT_RebootProgram"],
    reproduce="scontrol show config | grep RebootProgram",
    plants=[plant(Edit(CONFIG.source, old="/usr/sbin/reboot", new="(null)"))],
)
def reboot_program(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """RebootProgram."""
    if not settings:
        return
    program = setting(settings, "RebootProgram")
    if program is None:
        yield unknown(SUBJECT, "the controller did not say its RebootProgram")
    elif program:
        yield passed(SUBJECT, f"RebootProgram is {program}")
    else:
        yield failed(SUBJECT, "RebootProgram is not set")
