"""Slurm's accounting as text: sacct and ``sacctmgr show qos``."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.probe import probe
from assay.kit.quantity import integer, number
from assay.kit.reading import saved
from assay.kit.seen import Seen
from assay.model.facts.slurm import SlurmAccountingRow, SlurmQos
from assay.probes.pasted import clean
from assay.probes.slurm_words import gpus, nothing, seconds, split_list, stamp, table, word

SACCT = saved(
    "sacct",
    looks_like=r"^(?=[^\n]*\bJobID(?:Raw)?\b)(?=[^\n]*\bState\b)[^\n]*(?:\n[ -]*-[ -]*$)?"
    r"|^sacct: (?:error|fatal):[^\n]*",
)
QOS = saved(
    "sacctmgr-qos",
    looks_like=r"^[ \t]*(?:Name|Descr)[^\n]*\bPriority\b[^\n]*\b(?:GraceTime|Preempt|UsageFactor"
    r"|UsageThres|Flags|MaxTRES|MaxWall)\b[^\n]*(?:\n[ -]*-[ -]*$)?"
    r"|^sacctmgr: (?:error|fatal):[^\n]*",
)


def _headed(text: str, *names: str) -> str:
    """*text* from the line that holds all of *names*; prompts and warnings go before it."""
    lines = text.split("\n")
    for n, line in enumerate(lines):
        if all(re.search(rf"\b{name}", line, re.IGNORECASE) for name in names):
            return "\n".join(lines[n:])
    return ""


@probe("slurm.accounting", reads=[SACCT])
def sacct(seen: Seen) -> Iterator[SlurmAccountingRow]:
    """Jobs and steps of the accounting database."""
    if seen.capture(SACCT) is None:
        return
    text = clean(seen.text(SACCT))
    body = _headed(text, "JobID", "State")
    for record in table(body):
        said = {name.lower(): cell for name, cell in record.items()}
        id, state = said.get("jobid") or said.get("jobidraw", ""), said.get("state", "")
        if re.match(r"\d", id) and re.match(r"[A-Z]", state):
            yield _row(id, state, said)
    if not body:
        nothing(text, "sacct")


def _row(id: str, state: str, said: Mapping[str, str]) -> SlurmAccountingRow:
    tres = word(said.get("alloctres")) or word(said.get("reqtres"))
    return SlurmAccountingRow(
        id,
        state.split(maxsplit=1)[0].rstrip("+"),  # "CANCELLED by 1000"
        name=said.get("jobname", ""),
        user=word(said.get("user")),
        account=word(said.get("account")),
        partition=word(said.get("partition")),
        cluster=word(said.get("cluster")),
        qos=word(said.get("qos")),
        nodes=integer(said.get("allocnodes") or said.get("nnodes")),
        node_list=_nodes(said.get("nodelist")),
        cpus=integer(said.get("alloccpus") or said.get("ncpus")),
        gpus=gpus(tres) if tres else None,
        elapsed=seconds(said.get("elapsed") or said.get("elapsedraw")),
        submitted=stamp(said.get("submit")),
        started=stamp(said.get("start")),
        ended=stamp(said.get("end")),
        exit_code=word(said.get("exitcode")),
        tres=tres,
    )


def _nodes(text: str | None) -> str:
    found = word(text)
    return "" if found == "None assigned" else found


@probe("slurm.qos", reads=[QOS])
def qos(seen: Seen) -> Iterator[SlurmQos]:
    """Qualities of service with their priorities and limits."""
    if seen.capture(QOS) is None:
        return
    text = clean(seen.text(QOS))
    body = _headed(text, "Name", "Priority")
    for record in table(body):
        said = {name.lower(): cell for name, cell in record.items() if name}
        if not said.get("name"):
            continue
        used = ("name", "priority", "flags", "preempt", "preemptmode", "usagefactor", "gracetime")
        yield SlurmQos(
            said["name"],
            priority=integer(said.get("priority")),
            flags=tuple(split_list(said.get("flags", ""))),
            preempts=tuple(split_list(said.get("preempt", ""))),
            preempt_mode=said.get("preemptmode", ""),
            usage_factor=number(said.get("usagefactor")),
            grace_seconds=seconds(said.get("gracetime")),
            limits=tuple((n, c) for n, c in record.items() if c and n.lower() not in used),
        )
    if not body:
        nothing(text, "sacctmgr")
