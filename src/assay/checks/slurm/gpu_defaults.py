"""A job that asks for a GPU and says no more should get its share of cores and memory."""

import re
from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import GRES, SLURM_CONF, counts_gpus, named, setting, words
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmPartition, SlurmSetting
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_config import CONFIG
from assay.probes.slurm_partitions import PARTITIONS

UNLIMITED = {"", "UNLIMITED", "0"}
DEFAULTS = "JobDefaults=DefCpuPerGPU=24,DefMemPerGPU=245760"


@check(
    "slurm.gpu-defaults",
    asks="Does a job that asks for GPUs get cores and memory with them by default?",
    severity=Severity.MEDIUM,
    why="With no default per GPU a job gets one core, or all the memory of the node so that no"
    " second job fits beside it.",
    fix="Set SelectType=select/cons_tres and, for each GPU partition,"
    " JobDefaults=DefCpuPerGPU=...,DefMemPerGPU=....",
    see=[GRES, SLURM_CONF + "#OPT_DefCpuPerGPU"],
    reproduce="scontrol show config | grep -E 'SelectType|JobDefaults|DefMem'; "
    "scontrol show partition -o | grep -o 'PartitionName=[^ ]*\\|JobDefaults=[^ ]*\\|DefMem[^ ]*'",
    plants=[
        plant(Edit(CONFIG.source, old="DefCpuPerGPU=24,DefMemPerGPU=245760", new="(null)"),
              Edit(PARTITIONS.source, old=DEFAULTS, new="JobDefaults=(null)"), name="no defaults"),
        plant(Edit(CONFIG.source, old="select/cons_tres", new="select/cons_res"),
              name="a SelectType that cannot hand out GPUs"),
    ],
)  # fmt: skip
def gpu_defaults(
    settings: Sequence[SlurmSetting], partitions: Sequence[SlurmPartition] | None
) -> Iterator[Verdict]:
    """SelectType, and the default cores and memory of every partition with GPUs."""
    if not settings:
        return
    gpus = counts_gpus(settings)
    if gpus is None:
        yield unknown("GresTypes", "the controller did not say its GresTypes")
        return
    if not gpus:
        yield not_applicable("GresTypes", "Slurm hands out no GPUs")
        return
    select = setting(settings, "SelectType")
    if select == "select/cons_tres":
        yield passed("SelectType", f"SelectType is {select}")
    elif select == "select/linear":
        yield passed("SelectType", f"SelectType is {select}: whole nodes")
        return
    elif select == "select/cons_res":
        yield failed("SelectType", f"SelectType is {select}, GPUs need select/cons_tres")
    else:
        yield unknown("SelectType", f"SelectType is {named(select or '')}")
    yield from _defaults(settings, partitions)


def _defaults(
    settings: Sequence[SlurmSetting], partitions: Sequence[SlurmPartition] | None
) -> Iterator[Verdict]:
    shared = setting(settings, "JobDefaults")
    consumed = setting(settings, "SelectTypeParameters")
    if partitions is None or shared is None or consumed is None:
        yield unknown("partitions", "partitions or the defaults of jobs could not be read")
        return
    memory_counts = "memory" in consumed.lower()
    shares = [setting(settings, f"DefMemPer{what}") or "" for what in ("Node", "CPU", "GPU")]
    for partition in partitions:
        if partition.gpus == 0:
            continue
        said = [*words(shared), *words(partition.defaults)]
        keys = {key for item in said if (key := _key(item))}
        lacks = [] if "defcpupergpu" in keys else ["DefCpuPerGPU"]
        limited = [*shares, partition.memory_per_node, partition.memory_per_cpu]
        if memory_counts and "defmempergpu" not in keys and set(limited) <= UNLIMITED:
            lacks.append("DefMemPerGPU")
        if lacks:
            because = f"{' and '.join(lacks)} not set, for the cluster or the partition"
            yield failed(f"partition {partition.name}", because)
        else:
            yield passed(f"partition {partition.name}", f"defaults are {', '.join(sorted(keys))}")


def _key(item: str) -> str:
    """The name of a default that has a number above zero."""
    found = re.fullmatch(r"(\w+)=(\d+)", item)
    return found.group(1) if found and found.group(2).strip("0") else ""
