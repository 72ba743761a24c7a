"""Without cgroups a job can use the GPUs of its neighbour and leave processes behind."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import CGROUP_CONF, SLURM_CONF, named, setting, words
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG

CONSTRAINTS = (
    ("ConstrainDevices", None, "a job sees GPUs that it was not given"),
    ("ConstrainRAMSpace", Severity.MEDIUM, "a job can take its neighbours' memory"),
    ("ConstrainCores", Severity.LOW, "a job can use its neighbours' cores"),
)


@check(
    "slurm.device-isolation",
    asks="Does Slurm confine jobs to their own GPUs, memory and cores?",
    severity=Severity.HIGH,
    why="Without cgroups CUDA_VISIBLE_DEVICES is a hint: a job can use, read and break the GPUs"
    " of its neighbour, and its processes outlive it.",
    fix="Set ProctrackType=proctrack/cgroup, TaskPlugin=task/affinity,task/cgroup, and"
    " ConstrainDevices=yes, ConstrainRAMSpace=yes, ConstrainCores=yes in cgroup.conf.",
    see=[CGROUP_CONF, SLURM_CONF + "#OPT_ProctrackType", "https://slurm.schedmd.com/cgroups.html"],
    reproduce="scontrol show config | grep -E 'ProctrackType|TaskPlugin|Constrain'",
    plants=[
        plant(Edit(CONFIG.source, old="ConstrainDevices        = yes",
                   new="ConstrainDevices        = no"), name="devices are open"),
        plant(Edit(CONFIG.source, old="proctrack/cgroup", new="proctrack/linuxproc"),
              name="processes are not tracked"),
        plant(Edit(CONFIG.source, old="task/affinity,task/cgroup", new="task/affinity"),
              name="tasks are not confined"),
    ],
)  # fmt: skip
def device_isolation(settings: Sequence[SlurmSetting]) -> Iterator[Verdict]:
    """ProctrackType, TaskPlugin and the constraints of cgroup.conf."""
    if not settings:
        return
    for name, wanted in (("ProctrackType", "proctrack/cgroup"), ("TaskPlugin", "task/cgroup")):
        value = setting(settings, name)
        if value is None:
            yield unknown(name, f"the controller did not say its {name}")
        elif wanted in words(value):
            yield passed(name, f"{name} is {value}")
        else:
            yield failed(name, f"{name} is {named(value)}, {wanted} is wanted")
    for name, severity, without in CONSTRAINTS:
        value = setting(settings, name, "cgroup")
        if value is None:
            yield unknown(name, f"cgroup.conf's {name} was not shown")
        elif value.lower() == "yes":
            yield passed(name, f"{name} is yes")
        elif value.lower() == "no":
            yield failed(name, f"{name} is no: {without}", severity=severity)
        else:
            yield unknown(name, f"{name} is {named(value)}, neither yes nor no")
