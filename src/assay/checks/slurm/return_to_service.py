"""A node that comes back from a repair should not wait for somebody to notice."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, SUBJECT, named, setting
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG

MEANS = {
    "1": "a node that was lost returns when it registers again",
    "2": "any node that registers with a valid configuration returns",
}


@check(
    "slurm.return-to-service",
    asks="Do nodes that were lost return to service by themselves?",
    severity=Severity.LOW,
    why="With ReturnToService=0 a node that only lost its network for a minute stays DOWN until"
    " an administrator resumes it.",
    fix="Set ReturnToService=1 (or 2 where nodes are reimaged) beside a HealthCheckProgram that"
    " drains the sick ones.",
    see=[SLURM_CONF + "#OPT_ReturnToService"],
    reproduce="scontrol show config | grep ReturnToService",
    plants=[
        plant(Edit(CONFIG.source, old="Service         = 1", new="Service         = 0")),
    ],
)  # fmt: skip
def return_to_service(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """ReturnToService."""
    if not settings:
        return
    value = setting(settings, "ReturnToService")
    if value in MEANS:
        yield passed(SUBJECT, f"ReturnToService is {value}: {MEANS[value]}")
    elif value == "0":
        yield failed(SUBJECT, "ReturnToService is 0: lost nodes stay DOWN until they are resumed")
    else:
        yield unknown(SUBJECT, f"ReturnToService is {named(value or '')}")
