"""Who is there, who will be asked and who not, before anything is begun."""

import contextlib
import math
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.targets import slurm_nodes
from assay.targets.slurm_controller import Controller, ControllerError
from assay.targets.slurm_names import expand, fold
from assay.targets.slurm_nodes import Node, Partition
from assay.targets.slurm_voices import PYTHONS

LOOKING = 8.0  # seconds for all that the controller is asked before a job
SETTLING = 0.5  # seconds until nodes that another job is just leaving are looked at again
MOST_LOOKS = 4


@dataclass(frozen=True, slots=True)
class Terms:
    """How the nodes of a cluster are asked; what is empty is for Slurm to say.

    ``nodes`` (as Slurm writes them) restricts the audit. ``gpus`` are asked of every node: without
    them a job cannot open a GPU where devices are isolated, and takes none from anybody either.
    ``immediate`` is how many seconds a job may wait for its nodes. With ``passes`` of 2, nodes
    that were busy are asked once more, by a second job, if one of them gets free in time.
    """

    partition: str = ""
    account: str = ""
    qos: str = ""
    reservation: str = ""
    nodes: str = ""
    gpus: int = 0
    memory: int = 512  # MiB on each node
    immediate: float = 5.0
    passes: int = 1
    python: Sequence[str] = PYTHONS

    def __post_init__(self) -> None:
        expand(self.nodes)  # ValueError: it is no list of nodes
        if self.gpus < 0 or self.memory <= 0 or self.passes < 1 or self.immediate <= 0:
            raise ValueError("GPUs, memory, passes and seconds are positive numbers")


@dataclass(frozen=True, slots=True)
class View:
    """What the controller says, and what follows from it.

    ``job`` is the allocation that we run in, if any. ``closed`` take no job, ``full`` none now;
    both name the reason. ``avoid`` are all nodes of the partition that are not asked.
    ``isolated``: a job can open only devices that it was given.
    """

    nodes: Mapping[str, Node]
    job: str = ""
    partition: Partition | None = None
    isolated: bool = False
    asked: tuple[Node, ...] = ()
    closed: Mapping[str, str] = field(default_factory=dict)
    full: Mapping[str, str] = field(default_factory=dict)
    avoid: Sequence[str] = ()

    def word(self, name: str) -> str:
        """The scheduler's own word for the state of a node."""
        node = self.nodes.get(name)
        return node.word if node else ""

    @property
    def blind(self) -> bool:
        """GPUs of the nodes cannot be opened by what we run there."""
        return self.isolated and any(node.gpus for node in self.asked)


def allocation(environment: Mapping[str, str]) -> str:
    """The number of the job that we run in, or nothing."""
    job = environment.get("SLURM_JOB_ID") or environment.get("SLURM_JOBID") or ""
    return job if job.isdigit() else ""


def look(controller: Controller, terms: Terms, job: str, patience: float = LOOKING) -> View:
    """Ask the controller; :class:`ControllerError` when it does not answer in time."""
    end = time.monotonic() + patience
    controller.reach(patience)

    def ask(*argv: str) -> str:
        return controller.ask(*argv, patience=max(0.5, end - time.monotonic()))

    inside = expand(node_list(ask("scontrol", "show", "job", "-o", job))) if job else []
    known = _known(ask)
    if job:
        return _inside(known, job, inside)
    isolated = True
    with contextlib.suppress(ControllerError):  # not told to everybody
        isolated = slurm_nodes.devices_isolated(ask("scontrol", "show", "config"))
    found = slurm_nodes.partitions(ask("scontrol", "show", "partition", "-o"))
    for _ in range(MOST_LOOKS - 1):
        if not any(node.completing for node in known) or time.monotonic() + SETTLING > end:
            break
        time.sleep(SETTLING)
        known = _known(ask)
    return _outside(known, found, terms, isolated=isolated and not terms.gpus)


def _known(ask: Callable[..., str]) -> list[Node]:
    found = slurm_nodes.nodes(ask("scontrol", "show", "node", "-o", "-d"))
    if not found:
        raise ControllerError("the controller knows no node")
    return found


def node_list(job: str) -> str:
    """The nodes of ``scontrol show job -o``."""
    found = re.search(r"\sNodeList=(\S+)", job)
    return "" if not found or found[1] == "(null)" else found[1]


def _inside(known: Sequence[Node], job: str, names: Sequence[str]) -> View:
    members = {node.name: node for node in known if node.name in set(names)}
    closed = {
        node.name: node.closed("any")
        for node in members.values()
        if node.states[0] == "DOWN" or "NOT_RESPONDING" in node.states
    }
    asked = tuple(node for name, node in members.items() if name not in closed)
    return View(members, job, asked=asked, closed=closed)


def _outside(
    known: Sequence[Node], found: Sequence[Partition], terms: Terms, *, isolated: bool
) -> View:
    nodes = {node.name: node for node in known}
    closed: dict[str, str] = {}
    if terms.nodes:
        wanted = dict.fromkeys(expand(terms.nodes))
        closed = {n: "the controller knows no such node" for n in wanted if n not in nodes}
        nodes = {name: nodes[name] for name in wanted if name in nodes}
    for node in nodes.values():
        if why := node.closed(terms.reservation):
            closed[node.name] = why
    open_ = [node for node in nodes.values() if node.name not in closed]
    found = [p for p in found if p.name == terms.partition or not terms.partition]
    partition = slurm_nodes.choose(
        found, open_, root=os.getuid() == 0, reservation=terms.reservation
    )
    for node in open_:
        if partition is None or partition.name not in node.partitions:
            closed[node.name] = _elsewhere(node, partition, terms)
    whole = bool(partition and partition.whole_nodes)
    full = {
        node.name: why
        for node in open_
        if node.name not in closed and (why := node.full(terms.memory, terms.gpus, whole=whole))
    }
    asked = tuple(n for n in open_ if n.name not in closed and n.name not in full)
    if partition and partition.most_nodes is not None:
        for node in asked[partition.most_nodes :]:
            full[node.name] = f"busy: partition {partition.name} gives a job no more nodes"
        asked = asked[: partition.most_nodes]
    taken = {node.name for node in asked}
    avoid = [
        node.name
        for node in known
        if node.name not in taken and partition and partition.name in node.partitions
    ]
    return View(nodes, "", partition, isolated, asked, closed, full, avoid)


def _elsewhere(node: Node, partition: Partition | None, terms: Terms) -> str:
    if not node.partitions:
        return "in no partition, so no job reaches it"
    if partition is None:
        what = f"partition {terms.partition}" if terms.partition else "a partition that is up"
        return f"not in {what} (it is in {', '.join(node.partitions)})"
    return (
        f"not in partition {partition.name}, which was asked"
        f" (it is in {', '.join(node.partitions)})"
    )


def submission(view: View, terms: Terms, name: str, seconds: float, wait: float) -> list[str]:
    """The one job: as many of the nodes as are free, one CPU of each, for a minute or two.

    A range of nodes, not a list: a node that has become busy since must not hold up the others.
    Nodes that are not to be asked are excluded by name, so that no job of others is preempted
    and no node is powered up for us.
    """
    options = {
        "--partition": view.partition.name if view.partition else "",
        "--account": terms.account,
        "--qos": terms.qos,
        "--reservation": terms.reservation,
        "--exclude": fold(view.avoid),
        "--gpus-per-node": str(terms.gpus or ""),
        # without a word about memory, a job is given all of it where memory is accounted
        "--mem": _memory(view, terms),
    }
    return [
        *("salloc", "--no-shell", f"--job-name={name}", f"--nodes=1-{len(view.asked)}"),
        *(f"--immediate={max(1, round(wait))}", f"--time={math.ceil((seconds + 30) / 60)}"),
        *("--no-kill", "--wait-all-nodes=0", "--no-bell", "--chdir=/"),
        *(f"{option}={value}" for option, value in options.items() if value),
    ]


def _memory(view: View, terms: Terms) -> str:
    """Where memory is not configured Slurm takes a node to have 1 MiB."""
    smallest = min((node.memory for node in view.asked), default=0)
    return f"{terms.memory}M" if smallest > terms.memory else ""


def step(job: str, names: Sequence[str], name: str) -> list[str]:
    """One step over *names* in *job*, beside whatever else runs there."""
    return [
        *("srun", "--verbose", f"--jobid={job}", "--overlap", f"--job-name={name}"),
        *(f"--nodes={len(names)}", f"--ntasks={len(names)}", "--ntasks-per-node=1"),
        *(f"--nodelist={fold(names)}", "--label", "--input=none", "--export=NONE", "--chdir=/"),
        *("--no-kill", "--kill-on-bad-exit=0", "--wait=0", "--mpi=none"),
    ]
