"""`srun` starts an MPI program as one job only if it speaks the program's language."""

import re
from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, SUBJECT, named, setting
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG

GOOD = re.compile(r"(?:mpi/)?(?:pmix(?:_v\d)?|pmi2|cray_shasta)")


@check(
    "slurm.mpi-default",
    asks="Does srun start MPI programs with PMIx by default?",
    severity=Severity.LOW,
    why="With MpiDefault=none `srun ./mpi-program` runs N programs of one rank each, or fails.",
    fix="Build Slurm with PMIx and set MpiDefault=pmix; `srun --mpi=list` shows what is there.",
    see=["https://slurm.schedmd.com/mpi_guide.html", SLURM_CONF + "#OPT_MpiDefault"],
    reproduce="scontrol show config | grep MpiDefault; srun --mpi=list",
    plants=[
        plant(Edit(CONFIG.source, old="Default              = pmix",
                   new="Default              = none")),
    ],
)  # fmt: skip
def mpi_default(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """MpiDefault."""
    if not settings:
        return
    value = setting(settings, "MpiDefault")
    if value and GOOD.fullmatch(value):
        yield passed(SUBJECT, f"MpiDefault is {value}")
    elif value in ("", "none", "mpi/none"):
        yield failed(SUBJECT, f"MpiDefault is {named(value)}, pmix is wanted")
    else:
        yield unknown(SUBJECT, f"MpiDefault is {named(value or '')}")
