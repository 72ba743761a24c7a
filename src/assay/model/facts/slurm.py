"""Slurm as its controller describes it: settings, partitions, nodes, jobs, statistics.

Times are text: ``2026-03-04T05:06:07`` on the controller's own clock, with a Z where Slurm gave
seconds since 1970. ``None`` and "" mean that the source did not say. Memory is MiB.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class SlurmSetting(Fact):
    """One setting of the running controller; "" where Slurm prints (null).

    ``section`` is "" for slurm.conf, else the file or plug-in: ``cgroup``, ``mpi``, ...
    """

    whole: ClassVar[bool] = False

    name: str
    value: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class SlurmController(Fact):
    """One slurmctld (primary, backup, backup2) and whether it answers: UP or DOWN."""

    role: str
    host: str
    status: str


@dataclass(frozen=True, slots=True)
class SlurmSwitch(Fact):
    """A switch or block of the topology that the controller places jobs by."""

    kind: str  # "switch" or "block"
    name: str
    level: int | None = None
    nodes: str = ""
    switches: str = ""


@dataclass(frozen=True, slots=True)
class SlurmPartition(Fact):
    """A partition. Times in minutes; infinity is ``inf``. ``defaults`` is JobDefaults."""

    name: str
    state: str
    nodes: str = ""
    total_nodes: int | None = None
    total_cpus: int | None = None
    default: bool | None = None
    max_time: float | None = None
    default_time: float | None = None
    max_nodes: float | None = None
    oversubscribe: str = ""
    qos: str = ""
    tres: str = ""
    gpus: int | None = None
    priority_tier: int | None = None
    hidden: bool | None = None
    defaults: str = ""
    memory_per_node: str = ""  # DefMemPerNode as printed: MiB or UNLIMITED
    memory_per_cpu: str = ""


@dataclass(frozen=True, slots=True)
class SlurmNode(Fact):
    """A node. ``state`` is the base word (IDLE, MIXED, DOWN, ...), ``flags`` what is added to it.

    sinfo folds a flag into its word: DRAINED and DRAINING come with the flag DRAIN. ``gpus`` and
    ``gpus_used`` are counted from GRES; ``gpus`` is 0 where Slurm says that there is no GRES.
    """

    name: str
    state: str
    flags: tuple[str, ...] = ()
    reason: str = ""
    reason_by: str = ""
    reason_at: str = ""
    gres: str = ""
    gres_used: str = ""
    gpus: int | None = None
    gpus_used: int | None = None
    cpus: int | None = None
    cpus_allocated: int | None = None
    cpu_load: float | None = None
    memory_mib: int | None = None
    memory_allocated_mib: int | None = None
    memory_free_mib: int | None = None
    sockets: int | None = None
    cores_per_socket: int | None = None
    threads_per_core: int | None = None
    partitions: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    hostname: str = ""
    address: str = ""
    version: str = ""
    os: str = ""
    boot_time: str = ""
    slurmd_start: str = ""
    reservation: str = ""

    @property
    def words(self) -> str:
        """State and flags as scontrol prints them: IDLE+DRAIN."""
        return "+".join((self.state or "?", *self.flags))


@dataclass(frozen=True, slots=True)
class SlurmNodeGroup(Fact):
    """One row of sinfo about several nodes that are alike. ``nodes`` is a node list."""

    partition: str
    state: str
    count: int | None
    nodes: str = ""
    flags: tuple[str, ...] = ()
    available: str = ""
    time_limit: str = ""
    reason: str = ""
    default: bool | None = None


@dataclass(frozen=True, slots=True)
class SlurmJob(Fact):
    """A job. ``id`` as Slurm prints it (``12_3`` in an array); times limits and runs in seconds."""

    id: str
    state: str
    flags: tuple[str, ...] = ()
    name: str = ""
    user: str = ""
    account: str = ""
    partition: str = ""
    qos: str = ""
    reason: str = ""
    nodes: int | None = None
    node_list: str = ""
    cpus: int | None = None
    gpus: int | None = None
    tasks: int | None = None
    priority: float | None = None
    time_limit: float | None = None  # seconds, inf for no limit
    run_time: float | None = None
    submitted: str = ""
    started: str = ""
    ended: str = ""
    exit_code: str = ""
    restarts: int | None = None
    tres: str = ""


@dataclass(frozen=True, slots=True)
class SlurmAccountingRow(Fact):
    """One job or step in the accounting database, with what it was allocated."""

    id: str
    state: str
    name: str = ""
    user: str = ""
    account: str = ""
    partition: str = ""
    cluster: str = ""
    qos: str = ""
    nodes: int | None = None
    node_list: str = ""
    cpus: int | None = None
    gpus: int | None = None
    elapsed: float | None = None  # seconds
    submitted: str = ""
    started: str = ""
    ended: str = ""
    exit_code: str = ""
    tres: str = ""


@dataclass(frozen=True, slots=True)
class SlurmQos(Fact):
    """A quality of service. ``limits`` are its other columns that hold something."""

    name: str
    priority: int | None = None
    flags: tuple[str, ...] = ()
    preempts: tuple[str, ...] = ()
    preempt_mode: str = ""
    usage_factor: float | None = None
    grace_seconds: float | None = None
    limits: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ControllerStatistics(Fact):
    """What sdiag says of slurmctld since ``since``. Cycles are microseconds."""

    version: str = ""
    at: str = ""
    since: str = ""
    threads: int | None = None
    agent_queue: int | None = None
    agents: int | None = None
    agent_threads: int | None = None
    database_queue: int | None = None
    submitted: int | None = None
    started: int | None = None
    completed: int | None = None
    cancelled: int | None = None
    failed: int | None = None
    pending: int | None = None
    running: int | None = None
    cycle_last: int | None = None
    cycle_max: int | None = None
    cycle_mean: int | None = None
    cycles: int | None = None
    cycles_per_minute: int | None = None
    depth_mean: int | None = None
    queue_length: int | None = None
    backfill_last: int | None = None
    backfill_max: int | None = None
    backfill_mean: int | None = None
    backfill_cycles: int | None = None
    backfilled: int | None = None  # jobs since slurmctld started
    backfilled_last: int | None = None  # jobs since ``since``
    backfill_queue: int | None = None


@dataclass(frozen=True, slots=True)
class ControllerRpc(Fact):
    """Calls that slurmctld served, of one message type or of one user. Times in microseconds."""

    by: str  # "type" or "user"
    name: str
    number: int | None = None
    count: int | None = None
    average: int | None = None
    total: int | None = None
