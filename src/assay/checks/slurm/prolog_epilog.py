"""A prolog keeps jobs off a broken node; an epilog cleans up after them."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, setting, words
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG

WHAT = {
    "Prolog": "nothing checks a node before a job starts on it",
    "Epilog": "nothing cleans up or checks a node after a job",
}


@check(
    "slurm.prolog-epilog",
    asks="Does Slurm run a prolog and an epilog around jobs, and contain what jobs start?",
    severity=Severity.LOW,
    why="The prolog is the last chance to keep a job off a sick node; without Contain processes"
    " started over ssh escape the job.",
    fix="Set Prolog and Epilog to short scripts (a failing prolog drains the node) and"
    " PrologFlags=Alloc,Contain.",
    see=["https://slurm.schedmd.com/prolog_epilog.html", SLURM_CONF + "#OPT_PrologFlags"],
    reproduce="scontrol show config | grep -E '^(Prolog|Epilog|PrologFlags)'",
    plants=[
        plant(Edit(CONFIG.source, old="/etc/slurm/prolog.d/50-check", new="(null)"),
              name="no prolog"),
        plant(Edit(CONFIG.source, old="/etc/slurm/epilog.d/50-clean", new="(null)"),
              name="no epilog"),
        plant(Edit(CONFIG.source, old="Alloc,Contain", new="(null)"),
              name="jobs are not contained"),
    ],
)  # fmt: skip
def prolog_epilog(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """Prolog, Epilog and PrologFlags."""
    if not settings:
        return
    for name, without in WHAT.items():
        program = setting(settings, name)
        if program is None:
            yield unknown(name, f"the controller did not say its {name}")
        elif program:
            yield passed(name, f"{name} is {program}")
        else:
            yield failed(name, f"{name} is not set: {without}")
    flags = setting(settings, "PrologFlags")
    if flags is None:
        yield unknown("PrologFlags", "the controller did not say its PrologFlags")
    elif "contain" in words(flags) or "x11" in words(flags):  # X11 implies Contain
        yield passed("PrologFlags", f"PrologFlags is {flags}")
    else:
        yield failed("PrologFlags", f"PrologFlags is {flags or 'not set'}, Contain is wanted")
