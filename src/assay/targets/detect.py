"""What is this machine: the head of a Slurm cluster, one of its nodes, or a plain machine?

Nothing is begun to find out: programs and configuration are looked for, and where both are there
the controller is asked once or twice, for a few seconds at most.
"""

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from assay.targets import slurm_nodes
from assay.targets.slurm_controller import Controller, ControllerError, configuration
from assay.targets.slurm_view import allocation

ASKING = 3.0  # seconds for one question
UNCONFIGURED = 1.0  # seconds where only DNS can tell a controller, and on most machines does not
NEEDED = ("scontrol", "salloc", "srun", "scancel")


class Kind(StrEnum):
    """What an audit without further words is about."""

    LOCAL = "local"  # this machine
    SLURM = "slurm"  # every node of the cluster that this machine is a head or login node of
    SLURM_JOB = "slurm-job"  # the nodes of the job that we run in


@dataclass(frozen=True, slots=True)
class Detected:
    """What this machine is, and the sentences that say how we know."""

    kind: Kind
    why: tuple[str, ...] = ()


def detect(environment: Mapping[str, str] | None = None) -> Detected:
    """Find out; never raises, never takes longer than a few seconds."""
    given = os.environ if environment is None else environment
    controller = Controller(given)
    missing = [name for name in NEEDED if not _has(controller, name)]
    if missing:
        return Detected(Kind.LOCAL, (f"no Slurm: {', '.join(missing)} not installed",))
    if job := allocation(given):
        return Detected(Kind.SLURM_JOB, (f"inside Slurm job {job} (SLURM_JOB_ID)",))
    conf = configuration(controller.environment)
    where = f"configured by {conf}" if conf else "its configuration comes from the controller"
    try:
        said = controller.ask("scontrol", "ping", patience=ASKING if conf else UNCONFIGURED)
    except ControllerError as error:
        if conf is None:
            return Detected(Kind.LOCAL, ("Slurm's programs are installed, but not configured",))
        names = slurm_nodes.configured(conf.read_text("utf-8", "replace"))
        return _kind(names, "", (f"Slurm, {where}", f"its controller does not answer: {error}"))
    names = [here] if (here := _listed(controller)) else []
    return _kind(names, said, (f"Slurm, {where}", *said.strip().splitlines()[:2]))


def _has(controller: Controller, name: str) -> bool:
    try:
        controller.find(name)
    except ControllerError:
        return False
    return True


def _short() -> str:
    return socket.gethostname().partition(".")[0]


def _listed(controller: Controller) -> str:
    """Our own name, if the controller has a node of that name."""
    try:
        said = controller.ask("scontrol", "show", "node", "-o", _short(), patience=ASKING)
    except ControllerError:  # "Node vm not found" exits with 1
        return ""
    return _short() if slurm_nodes.nodes(said) else ""


def _kind(names: list[str], ping: str, why: tuple[str, ...]) -> Detected:
    """A compute node audits itself: else each of them would start a job for the whole cluster."""
    here = {_short(), socket.gethostname()}
    heads = {host.partition(".")[0] for host in re.findall(r" at (\S+) is ", ping)}
    if here & set(names) and not here & heads:
        return Detected(Kind.LOCAL, (*why, f"this machine ({_short()}) is one of its nodes"))
    role = "its controller runs here" if here & heads else "this machine is none of its nodes"
    return Detected(Kind.SLURM, (*why, role))
