"""Slurm as JSON: ``--json`` of its commands and slurmrestd, of every data parser since v0.0.37.

Numbers are plain or ``{"set": true, "infinite": false, "number": N}``; states are a word, a word
with a list of flags, or one list of both.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.slurm import (
    ControllerRpc,
    ControllerStatistics,
    SlurmAccountingRow,
    SlurmJob,
    SlurmNode,
    SlurmNodeGroup,
    SlurmPartition,
    SlurmQos,
)
from assay.probes.pasted import clean, documents, words
from assay.probes.slurm_json_records import accounting_row, job, node, partition, qos, sinfo_row
from assay.probes.slurm_json_values import count, listed, mapping, text
from assay.probes.slurm_words import ERROR, stamp

JSON = saved(
    "slurm-json",
    looks_like=r"\"(?:slurmd_start_time|gres_drained|burstbuffer_network_address|accrue_time"
    r"|billable_tres|job_state|het_job_id|rpcs_by_message_type|schedule_cycle_max|parts_packed"
    r"|node_sets|allocation_nodes)\"\s*:[^\n]*(?:\n[^\n]*){0,6}"
    r"|\"(?:type|name|data_parser)\"\s*:\s*\"(?:openapi/|Slurm OpenAPI|data_parser/v)[^\n]*"
    r"(?:\n[^\n]*){0,6}|\"[Ss]lurm\"\s*:\s*\{\s*\"(?:version|release)\"[^\n]*(?:\n[^\n]*){0,6}",
)
Found = (
    SlurmNode
    | SlurmNodeGroup
    | SlurmJob
    | SlurmAccountingRow
    | SlurmPartition
    | SlurmQos
    | ControllerStatistics
    | ControllerRpc
)
_STATISTICS = {
    "threads": "server_thread_count", "agent_queue": "agent_queue_size", "agents": "agent_count",
    "agent_threads": "agent_thread_count", "database_queue": "dbd_agent_queue_size",
    "submitted": "jobs_submitted", "started": "jobs_started", "completed": "jobs_completed",
    "cancelled": "jobs_canceled", "failed": "jobs_failed", "pending": "jobs_pending",
    "running": "jobs_running", "cycle_last": "schedule_cycle_last",
    "cycle_max": "schedule_cycle_max", "cycle_mean": "schedule_cycle_mean",
    "cycles": "schedule_cycle_total", "cycles_per_minute": "schedule_cycle_per_minute",
    "depth_mean": "schedule_cycle_mean_depth", "queue_length": "schedule_queue_length",
    "backfill_last": "bf_cycle_last", "backfill_max": "bf_cycle_max",
    "backfill_mean": "bf_cycle_mean", "backfill_cycles": "bf_cycle_counter",
    "backfilled": "bf_backfilled_jobs", "backfilled_last": "bf_last_backfilled_jobs",
    "backfill_queue": "bf_queue_len",
}  # fmt: skip


@probe("slurm.json", reads=[JSON])
def slurm_json(seen: Seen) -> Iterator[Found]:
    """Nodes, jobs, partitions, statistics and accounting in Slurm's JSON."""
    if seen.capture(JSON) is None:
        return
    said = clean(seen.text(JSON))
    found, errors, empty = False, list[str](), False
    for document in documents(said, "Slurm's JSON"):
        for part in document if isinstance(document, list) else [document]:
            root = mapping(part)
            empty = empty or any(root.get(kind) == [] for kind in _KINDS)
            for fact in _document(root):
                found = True
                yield fact
            errors += [_error(e) for e in listed(root.get("errors"))]
    if errors and any(errors):
        raise Unread("Slurm answered with an error: " + "; ".join(filter(None, errors))[:300])
    if not found and not empty:
        complaint = ERROR.search(said)
        raise Unread(complaint.group()[:300] if complaint else "no record of Slurm is in this JSON")


def _error(found: Any) -> str:
    record = mapping(found)
    said = [words(record.get(k)) for k in ("description", "error", "source")]
    return ": ".join(part for part in said if part) or words(found)


def _document(root: Mapping[str, Any]) -> Iterator[Found]:
    if statistics := mapping(root.get("statistics")):
        yield from _statistics(root, statistics)
    for name, read in _KINDS.items():
        records = root.get(name)
        if name == "qos" and isinstance(records, str):
            continue  # a job's own field
        if name == "nodes" and "job_state" in root:
            continue
        for record in listed(records):
            fact = read(mapping(record))
            if fact is not None:
                yield fact
    if "job_state" in root and "job_id" in root:
        yield from filter(None, [job(root)])
    elif "name" in root and ("slurmd_start_time" in root or "gres_drained" in root):
        yield from filter(None, [node(root)])
    elif "parts_packed" in root and "statistics" not in root:
        yield from _statistics({}, root)


def _job(record: Mapping[str, Any]) -> SlurmJob | SlurmAccountingRow | None:
    return job(record) if "job_state" in record else accounting_row(record)


_KINDS = {
    "nodes": node, "jobs": _job, "partitions": partition, "qos": qos, "QOS": qos,
    "sinfo": sinfo_row,
}  # fmt: skip


def _statistics(
    root: Mapping[str, Any], statistics: Mapping[str, Any]
) -> Iterator[ControllerStatistics | ControllerRpc]:
    meta = mapping(root.get("meta"))
    about = mapping(meta.get("slurm")) or mapping(meta.get("Slurm"))
    yield ControllerStatistics(
        version=text(about.get("release")),
        at=stamp(count(statistics.get("req_time"))),
        since=stamp(count(statistics.get("req_time_start"))),
        **{field: count(statistics.get(key)) for field, key in _STATISTICS.items()},
    )
    for by, key, name, number in (
        ("type", "rpcs_by_message_type", "message_type", "type_id"),
        ("user", "rpcs_by_user", "user", "user_id"),
    ):
        for record in (mapping(one) for one in listed(statistics.get(key))):
            if text(record.get(name)):
                yield ControllerRpc(
                    by,
                    text(record.get(name)),
                    count(record.get(number)),
                    count(record.get("count")),
                    count(record.get("average_time")),
                    count(record.get("total_time")),
                )
