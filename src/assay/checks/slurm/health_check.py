"""A health check that nobody runs drains no node."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, SUBJECT, setting, span
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG

SELDOM = 3600.0  # seconds: a fault that is found after an hour has cost a job already


@check(
    "slurm.health-check",
    asks="Does Slurm run a health check on its nodes, and often enough?",
    severity=Severity.MEDIUM,
    why="Without one a broken GPU is found by the job that it kills, and then by the next.",
    fix="Set HealthCheckProgram to a short check that drains the node itself (it is killed after"
    " 60 s) and HealthCheckInterval to some minutes.",
    see=[SLURM_CONF + "#OPT_HealthCheckProgram"],
    reproduce="scontrol show config | grep HealthCheck",
    plants=[
        plant(Edit(CONFIG.source, old="/usr/sbin/nhc", new="(null)"), name="no program"),
        plant(Edit(CONFIG.source, old="Interval     = 300", new="Interval     = 0"),
              name="never run"),
    ],
)  # fmt: skip
def health_check(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """HealthCheckProgram and HealthCheckInterval."""
    if not settings:
        return
    program = setting(settings, "HealthCheckProgram")
    interval = span(settings, "HealthCheckInterval")
    if program is None:
        yield unknown(SUBJECT, "the controller did not say its HealthCheckProgram")
    elif not program:
        yield failed(SUBJECT, "HealthCheckProgram is not set")
    elif interval is None:
        yield unknown(SUBJECT, f"{program} is set, its HealthCheckInterval could not be read")
    elif interval <= 0:
        yield failed(SUBJECT, f"{program} is set, but HealthCheckInterval is 0: it never runs")
    elif interval > SELDOM:
        yield failed(SUBJECT, f"{program} runs every {interval:.0f} s, at most {SELDOM:.0f} s is"
                     " wanted", severity=Severity.LOW)  # fmt: skip
    else:
        yield passed(SUBJECT, f"{program} runs every {interval:.0f} s")
