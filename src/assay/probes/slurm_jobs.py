"""Slurm's jobs as text: ``scontrol show job`` and the tables of squeue."""

import re
from collections.abc import Iterator, Sequence

from assay.kit.probe import probe
from assay.kit.quantity import integer, number
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.slurm import SlurmJob
from assay.probes.pasted import clean
from assay.probes.slurm_words import gpus, nothing, seconds, stamp, word

_WORDS = (
    "PENDING|RUNNING|SUSPENDED|COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|BOOT_FAIL"
    "|DEADLINE|OUT_OF_MEMORY|COMPLETING|CONFIGURING|RESIZING|REQUEUED|REQUEUE_FED|REQUEUE_HOLD"
    "|SPECIAL_EXIT|STAGE_OUT|STOPPED|SIGNALING|RESV_DEL_HOLD|REVOKED"
)
_COMPACT = {
    "PD": "PENDING", "R": "RUNNING", "S": "SUSPENDED", "CD": "COMPLETED", "CA": "CANCELLED",
    "F": "FAILED", "TO": "TIMEOUT", "NF": "NODE_FAIL", "PR": "PREEMPTED", "BF": "BOOT_FAIL",
    "DL": "DEADLINE", "OOM": "OUT_OF_MEMORY", "CG": "COMPLETING", "CF": "CONFIGURING",
    "RS": "RESIZING", "RQ": "REQUEUED", "RF": "REQUEUE_FED", "RH": "REQUEUE_HOLD",
    "SE": "SPECIAL_EXIT", "SO": "STAGE_OUT", "ST": "STOPPED", "SI": "SIGNALING",
    "RD": "RESV_DEL_HOLD", "RV": "REVOKED",
}  # fmt: skip
JOB = saved(
    "scontrol-show-job",
    looks_like=r"^[^\n]{0,80}?\bJobId=\d+[^\n]*\b(?:Job)?Name=[^\n]*(?:\n[ \t]+[^\n]*){0,12}",
)
SQUEUE = saved(
    "squeue",
    looks_like=r"^ *(?:JOBID|ACCOUNT +JOBID|CLUSTER[^\n]*)\b[^\n]*\bST(?:ATE)?\b"
    r"[^\n]*(?:\n[^\n]*){0,2}"
    r"|^(?=[^\n]*\|)(?=[^\n]*\bJOBID\b)[^\n]*\bST(?:ATE)?\b[^\n]*"
    rf"|^(?:[^|\n]*\|){{1,40}}?#?(?:{_WORDS})\|[^\n]*"
    rf"|^\d+(?:_\S+)?,(?:{_WORDS})(?:,[^\n]*)?$(?:\n\d[^\n]*){{0,3}}"
    r"|^squeue: (?:error|fatal):[^\n]*",
)

_RECORD = re.compile(r"\bJobId=(\d\S*)(.*?)(?=\bJobId=\d|\n[ \t]*\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"(?:^|\s)([A-Z][\w/:]*)=(\S*)")
_STATE = re.compile(rf"(?:{_WORDS})(?: by \w+)?")
_ID = re.compile(r"\d{1,18}(?:[_+]\S{1,200})?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


@probe("slurm.jobs", reads=[JOB])
def jobs(seen: Seen) -> Iterator[SlurmJob]:
    """Jobs as scontrol shows them."""
    if seen.capture(JOB) is None:
        return
    text = clean(seen.text(JOB))
    found = False
    for id, body in _RECORD.findall(text):
        fields = dict[str, str]()
        for key, value in _PAIR.findall(body):
            fields.setdefault(key, value)
        if "JobState" in fields:
            found = True
            yield _job(id, fields)
    if not found:
        nothing(text, "`scontrol show job`")


def _job(id: str, fields: dict[str, str]) -> SlurmJob:
    tres = next((v for k in ("AllocTRES", "TRES", "ReqTRES")
                 if (v := word(fields.get(k)))), "")  # fmt: skip
    array = fields.get("ArrayTaskId", "")
    state, *flags = fields["JobState"].upper().split("+")
    return SlurmJob(
        f"{fields['ArrayJobId']}_{array}" if array and "ArrayJobId" in fields else id,
        state,
        tuple(flags),
        name=fields.get("JobName", fields.get("Name", "")),
        user=re.sub(r"\(\d+\)$", "", fields.get("UserId", "")),
        account=word(fields.get("Account")),
        partition=word(fields.get("Partition")),
        qos=word(fields.get("QOS")),
        reason=word(fields.get("Reason")),
        nodes=integer(fields.get("NumNodes", "").split("-")[0]),
        node_list=word(fields.get("NodeList")),
        cpus=integer(fields.get("NumCPUs", "").split("-")[0]),
        gpus=gpus(tres) if tres else None,
        tasks=integer(fields.get("NumTasks")),
        priority=number(fields.get("Priority")),
        time_limit=seconds(fields.get("TimeLimit")),
        run_time=seconds(fields.get("RunTime")),
        submitted=stamp(fields.get("SubmitTime")),
        started=stamp(fields.get("StartTime")),
        ended=stamp(fields.get("EndTime")),
        exit_code=word(fields.get("ExitCode")),
        restarts=integer(fields.get("Restarts")),
        tres=tres,
    )


@probe("slurm.queue", reads=[SQUEUE])
def squeue(seen: Seen) -> Iterator[SlurmJob]:
    """Jobs as squeue lists them, in its tables and in delimited formats."""
    if seen.capture(SQUEUE) is None:
        return
    text = clean(seen.text(SQUEUE))
    lines = [line for line in text.split("\n") if line.strip()]
    start = next((n for n, line in enumerate(lines) if "JOBID" in line.upper()), None)
    found = list(_headed(lines[start], lines[start + 1 :]) if start is not None else _bare(lines))
    yield from found
    if not found and start is None:
        nothing(text, "squeue")


def _headed(header: str, lines: Sequence[str]) -> Iterator[SlurmJob]:
    mark = "|" if "|" in header else None
    head = [name.strip().upper() for name in header.split(mark)]
    for line in lines:
        cells = [c.strip() for c in line.split(mark)] if mark else line.split(None, len(head) - 1)
        said = dict[str, str]()
        for name, cell in zip(head, cells, strict=False):
            said.setdefault(name, cell)
        state = said.get("ST") or said.get("STATE") or ""
        state = _COMPACT.get(state, state)
        if not _ID.fullmatch(said.get("JOBID", "")) or not _STATE.fullmatch(state):
            continue
        where = said.get("NODELIST(REASON)", "")
        waits = re.fullmatch(r"\((.*)\)", where)
        tres = said.get("TRES_ALLOC") or said.get("TRES_PER_NODE") or said.get("GRES")
        yield SlurmJob(
            said["JOBID"],
            state,
            name=said.get("NAME", ""),
            user=said.get("USER", ""),
            account=word(said.get("ACCOUNT")),
            partition=said.get("PARTITION", ""),
            qos=word(said.get("QOS")),
            reason=waits.group(1) if waits else word(said.get("REASON")),
            nodes=integer(said.get("NODES")),
            node_list="" if waits else word(where or said.get("NODELIST")),
            cpus=integer(said.get("CPUS")),
            gpus=gpus(tres) if "TRES_ALLOC" in said else None,
            priority=number(said.get("PRIORITY")),
            time_limit=seconds(said.get("TIME_LIMIT") or said.get("TIMELIMIT")),
            run_time=seconds(said.get("TIME")),
            submitted=stamp(said.get("SUBMIT_TIME")),
            started=stamp(said.get("START_TIME")),
            tres=word(said.get("TRES_ALLOC")),
        )


def _bare(lines: Sequence[str]) -> Iterator[SlurmJob]:
    """Delimited rows without a header (-h -o): the columns are told apart by what they hold."""
    mark = next((m for m in ("|#", "|") if any(m in line for line in lines)), ",")
    rows = [[c.strip() for c in line.split(mark)] for line in lines]
    rows = [row for row in rows if any(_STATE.fullmatch(cell) for cell in row)]
    if not rows:
        return
    at = _id_column(rows)
    if at is None:
        raise Unread("squeue: no column of these rows holds job ids")
    for row in rows:
        if at >= len(row) or not _ID.fullmatch(row[at]):
            continue
        place = next(n for n, cell in enumerate(row) if _STATE.fullmatch(cell))
        tres = next((c for c in row if re.match(r"(?:cpu|mem|node|billing)=\d", c)), "")
        counts = dict(pair.partition("=")[::2] for pair in tres.split(","))
        ran = row[place] != "PENDING"  # its node list is what it waits for
        times = [c for c in row if _TIME.fullmatch(c)]
        yield SlurmJob(
            row[at],
            row[place],
            user=row[place + 1] if len(row) > place + 1 and row[place + 1].isidentifier() else "",
            nodes=integer(counts.get("node")),
            node_list=next((c for c in row[place:] if _names_nodes(c)), "") if ran else "",
            cpus=integer(counts.get("cpu")),
            gpus=gpus(tres) if tres else None,
            submitted=min(times, default=""),
            tres=tres,
        )


def _names_nodes(cell: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z][\w.-]*(?:\d+|\[[\d,-]+\])(?:,[\w.\[\],-]+)?", cell))


def _id_column(rows: Sequence[Sequence[str]]) -> int | None:
    """Ids are in every row, differ from row to row, and are large or those of array tasks."""
    best, where = (False, 0), None
    for n in range(min((len(row) for row in rows), default=0)):
        cells = [row[n] for row in rows]
        if any(_STATE.fullmatch(cell) for cell in cells):
            break  # every usual format has the id before the state
        if not all(_ID.fullmatch(cell) for cell in cells) or len(set(cells)) < len(cells):
            continue
        rank = (any("_" in c for c in cells), min(len(re.split(r"[_+]", c)[0]) for c in cells))
        if rank > best:
            best, where = rank, n
    return where
