"""Slurm's partitions: ``scontrol show partition``."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.quantity import integer
from assay.kit.reading import Service, command
from assay.kit.seen import Seen, Unread
from assay.model.facts.slurm import SlurmPartition
from assay.probes.pasted import clean, tried
from assay.probes.slurm_words import gpus, minutes, nothing, word

PARTITIONS = command(
    "scontrol",
    "show",
    "partition",
    "-o",
    name="slurm.partitions",
    deadline=20.0,
    service=Service.SLURM,
    looks_like=r"^[^\n]{0,80}?\bPartitionName=\S+\s+Allow(?:Groups|Accounts)=[^\n]*"
    r"(?:\n[ \t]+[^\n]*){0,12}|^slurm_load_partitions[^\n]*error[^\n]*",
)

_RECORD = re.compile(r"\bPartitionName=(\S+)(.*?)(?=\bPartitionName=|\n[ \t]*\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"(?:^|\s)([A-Z][\w:]*)=(\S*)")


@probe("slurm.partitions", reads=[PARTITIONS])
def partitions(seen: Seen) -> Iterator[SlurmPartition]:
    """Partitions of the Slurm cluster with their limits and defaults."""
    if tried(seen, PARTITIONS) is None:
        return
    text = clean(seen.text(PARTITIONS))
    found = cut = False
    for name, body in _RECORD.findall(text):
        fields = dict[str, str]()
        for key, value in _PAIR.findall(body):
            fields.setdefault(key, value)
        found, cut = True, "State" not in fields
        if not cut:
            yield _partition(name, fields)
    if cut or (found and not text.endswith("\n") and "\n  " not in text):
        raise Unread("`scontrol show partition` is cut short")
    if not found:
        nothing(text, "`scontrol show partition`")


def _partition(name: str, fields: dict[str, str]) -> SlurmPartition:
    tres = fields.get("TRES")
    return SlurmPartition(
        name,
        fields["State"].upper(),
        nodes=word(fields.get("Nodes")),
        total_nodes=integer(fields.get("TotalNodes")),
        total_cpus=integer(fields.get("TotalCPUs")),
        default=_yes(fields.get("Default")),
        max_time=minutes(fields.get("MaxTime")),
        default_time=minutes(fields.get("DefaultTime")),
        max_nodes=minutes(fields.get("MaxNodes")),
        oversubscribe=word(fields.get("OverSubscribe", fields.get("Shared"))),
        qos=word(fields.get("QoS")),
        tres=word(tres),
        gpus=gpus(tres),
        priority_tier=integer(fields.get("PriorityTier")),
        hidden=_yes(fields.get("Hidden")),
        defaults=word(fields.get("JobDefaults")),
        memory_per_node=word(fields.get("DefMemPerNode")),
        memory_per_cpu=word(fields.get("DefMemPerCPU")),
    )


def _yes(text: str | None) -> bool | None:
    return {"yes": True, "no": False}.get((text or "").lower())
