"""Whole records of Slurm's JSON: a node, a job, a partition, a row of accounting or of sinfo."""

from collections.abc import Mapping
from typing import Any

from assay.model.facts.slurm import (
    SlurmAccountingRow,
    SlurmJob,
    SlurmNode,
    SlurmNodeGroup,
    SlurmPartition,
    SlurmQos,
)
from assay.probes.slurm_json_values import (
    amount,
    count,
    exit_code,
    first,
    items,
    limit,
    mapping,
    resources,
    text,
    when,
)
from assay.probes.slurm_words import gpus, listed_state, state

Record = Mapping[str, Any]


def _state(found: Any, flags: Any = None) -> tuple[str, tuple[str, ...]]:
    if isinstance(found, str):
        base, more = state(found)
        return base, tuple(dict.fromkeys((*more, *(flag.upper() for flag in items(flags)))))
    return listed_state([*items(found), *items(flags)])


def _scaled(found: Any) -> float | None:
    """CPU load: a number, hundredths of it in the node records of old data parsers."""
    value = amount(found)
    return None if value is None else round(value / 100, 2)


def node(record: Record) -> SlurmNode | None:
    """A node of ``scontrol show node --json``, ``sinfo --json`` (to 22.05) or slurmrestd."""
    name = text(record.get("name")) or text(record.get("hostname"))
    if not name or "state" not in record:
        return None
    base, flags = _state(record["state"], record.get("state_flags"))
    gres, used = record.get("gres"), record.get("gres_used")
    return SlurmNode(
        name,
        base,
        flags,
        reason=text(record.get("reason")),
        reason_by=text(record.get("reason_set_by_user")) if text(record.get("reason")) else "",
        reason_at=when(record.get("reason_changed_at")) if text(record.get("reason")) else "",
        gres=text(gres),
        gres_used=text(used),
        gpus=gpus(gres) if isinstance(gres, str) else None,
        gpus_used=gpus(used) if isinstance(used, str) and used else None,
        cpus=count(record.get("cpus")),
        cpus_allocated=count(record.get("alloc_cpus")),
        cpu_load=_scaled(record.get("cpu_load")),
        memory_mib=count(record.get("real_memory")),
        memory_allocated_mib=count(record.get("alloc_memory")),
        memory_free_mib=count(first(record, "free_mem", "free_memory")),
        sockets=count(record.get("sockets")),
        cores_per_socket=count(record.get("cores")),
        threads_per_core=count(record.get("threads")),
        partitions=items(record.get("partitions")),
        features=items(record.get("features")),
        hostname=text(record.get("hostname")),
        address=text(record.get("address")),
        version=text(first(record, "version", "slurmd_version")),
        os=text(record.get("operating_system")),
        boot_time=when(record.get("boot_time")),
        slurmd_start=when(record.get("slurmd_start_time")),
        reservation=text(record.get("reservation")),
    )


def sinfo_row(record: Record) -> SlurmNode | SlurmNodeGroup | None:
    """A row of ``sinfo --json`` since 23.02: nodes that are alike, one only with -N."""
    nodes = mapping(record.get("nodes"))
    base, flags = _state(mapping(record.get("node")).get("state"))
    where = mapping(record.get("partition"))
    if not base:
        return None
    reason = record.get("reason")
    names = items(nodes.get("nodes")) or items(nodes.get("hostnames"))
    if len(names) == 1:
        return _single(record, names[0], base, flags)
    return SlurmNodeGroup(
        text(where.get("name")),
        base,
        count(nodes.get("total")),
        nodes=",".join(names),
        flags=flags,
        available=",".join(_state(mapping(where.get("partition")).get("state"))[:1]),
        reason=text(mapping(reason).get("description")) or text(reason),
    )


def _single(record: Record, name: str, base: str, flags: tuple[str, ...]) -> SlurmNode:
    cpus, memory = mapping(record.get("cpus")), mapping(record.get("memory"))
    gres, reason = mapping(record.get("gres")), mapping(record.get("reason"))
    features, partition = mapping(record.get("features")), mapping(record.get("partition"))
    total, used = gres.get("total"), gres.get("used")
    return SlurmNode(
        name,
        base,
        flags,
        reason=text(reason.get("description")),
        reason_by=text(reason.get("user")),
        reason_at=when(reason.get("time")),
        gres=text(total),
        gres_used=text(used),
        gpus=gpus(total) if isinstance(total, str) else None,
        gpus_used=gpus(used) if isinstance(used, str) and used else None,
        cpus=count(cpus.get("total")),
        cpus_allocated=count(cpus.get("allocated")),
        cpu_load=_scaled(mapping(cpus.get("load")).get("maximum")),
        memory_mib=count(memory.get("maximum")),
        memory_allocated_mib=count(memory.get("allocated")),
        memory_free_mib=count(mapping(memory.get("free")).get("maximum")),
        partitions=items(partition.get("name")),
        features=items(features.get("total")),
        reservation=text(record.get("reservation")),
    )


def job(record: Record) -> SlurmJob | None:
    """A job of ``squeue --json``, ``scontrol show job --json`` or slurmrestd."""
    id = count(record.get("job_id"))
    if id is None:
        return None
    base, *flags = items(record.get("job_state")) or ("",)
    tres = text(record.get("tres_alloc_str")) or text(record.get("tres_req_str"))
    array, task = count(record.get("array_job_id")), count(record.get("array_task_id"))
    minutes = limit(record.get("time_limit"))
    return SlurmJob(
        f"{array}_{task}" if array and task is not None else str(id),
        base.upper(),
        tuple(flag.upper() for flag in flags),
        name=text(record.get("name")),
        user=text(record.get("user_name")),
        account=text(record.get("account")),
        partition=text(record.get("partition")),
        qos=text(record.get("qos")),
        reason=text(record.get("state_reason")),
        nodes=count(record.get("node_count")),
        node_list=text(record.get("nodes")),
        cpus=count(record.get("cpus")),
        gpus=gpus(tres) if tres else None,
        tasks=count(record.get("tasks")),
        priority=amount(record.get("priority")),
        time_limit=None if minutes is None else minutes * 60,
        submitted=when(record.get("submit_time")),
        started=when(record.get("start_time")),
        ended=when(record.get("end_time")),
        exit_code=exit_code(record.get("exit_code")),
        restarts=count(record.get("restart_cnt")),
        tres=tres,
    )


def accounting_row(record: Record) -> SlurmAccountingRow | None:
    """A job of ``sacct --json``."""
    id = count(record.get("job_id"))
    states = record.get("state")
    named = items(mapping(states).get("current")) or items(states)
    if id is None or not named:
        return None
    times = mapping(record.get("time"))
    tres = resources(mapping(record.get("tres")).get("allocated"))
    array = mapping(record.get("array"))
    task = count(array.get("task_id"))
    main = count(array.get("job_id"))
    return SlurmAccountingRow(
        f"{main}_{task}" if main and task is not None else str(id),
        named[0].upper(),
        name=text(record.get("name")),
        user=text(record.get("user")),
        account=text(record.get("account")),
        partition=text(record.get("partition")),
        cluster=text(record.get("cluster")),
        qos=text(record.get("qos")),
        nodes=count(record.get("allocation_nodes")),
        node_list=text(record.get("nodes")),
        gpus=gpus(tres) if tres else None,
        elapsed=amount(times.get("elapsed")),
        submitted=when(times.get("submission")),
        started=when(times.get("start")),
        ended=when(times.get("end")),
        exit_code=exit_code(record.get("exit_code")),
        tres=tres,
    )


def partition(record: Record) -> SlurmPartition | None:
    """A partition of ``scontrol show partition --json`` or slurmrestd, old form and new."""
    name = text(record.get("name"))
    if not name:
        return None
    inner = mapping(record.get("partition"))
    states = items(first(inner, "state") or record.get("state"))
    nodes, cpus = record.get("nodes"), record.get("cpus")
    tres = mapping(record.get("tres")).get("configured", record.get("tres"))
    most, usual = mapping(record.get("maximums")), mapping(record.get("defaults"))
    return SlurmPartition(
        name,
        "+".join(word.upper() for word in states),
        nodes=text(mapping(nodes).get("configured")) or text(nodes),
        total_nodes=count(first(mapping(nodes), "total") or record.get("total_nodes")),
        total_cpus=count(first(mapping(cpus), "total") or record.get("total_cpus")),
        max_time=limit(first(most, "time") or record.get("max_time_limit")),
        default_time=limit(first(usual, "time") or record.get("default_time_limit")),
        max_nodes=limit(first(most, "nodes") or record.get("max_nodes")),
        qos=text(mapping(record.get("qos")).get("assigned")) or text(record.get("qos")),
        tres=text(tres),
        gpus=gpus(tres) if isinstance(tres, str) else None,
        priority_tier=count(mapping(record.get("priority")).get("tier")),
        defaults=text(usual.get("job")),
    )


def qos(record: Record) -> SlurmQos | None:
    """A quality of service of ``sacctmgr show qos --json``."""
    name = text(record.get("name"))
    if not name:
        return None
    preempt = mapping(record.get("preempt"))
    return SlurmQos(
        name,
        priority=count(record.get("priority")),
        flags=items(record.get("flags")),
        preempts=items(preempt.get("list")),
        preempt_mode=",".join(items(preempt.get("mode"))),
        usage_factor=amount(record.get("usage_factor")),
    )
