"""Nodes that Slurm has drained or lost are capacity that somebody pays for and nobody gets."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SUBJECT
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmNode
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_nodes import NODES

GOOD = {"IDLE", "ALLOCATED", "MIXED", "COMPLETING", "RESERVED", "PLANNED"}
LOST = {"DOWN", "ERROR", "FAIL", "FAILING", "INVAL"}
LOST_FLAGS = {"NOT_RESPONDING", "FAIL", "INVALID_REG", "INVALID", "DRAIN", "DRAINED", "DRAINING",
              "BLOCKED"}  # fmt: skip
# Flags that say nothing about whether jobs run there.
NEUTRAL = {"COMPLETING", "CLOUD", "DYNAMIC_NORM", "DYNAMIC_FUTURE", "POWERED_DOWN", "POWERING_UP",
           "POWERING_DOWN", "POWER_DOWN", "PLANNED", "RESERVED", "RES", "EXTERNAL", "UNDRAIN",
           "RESUME", "RUN_EPILOG", "MAINTENANCE", "MAINT", "REBOOT_REQUESTED", "REBOOT_ISSUED",
           "REBOOT", "REBOOT^", "POWER_DRAIN", "PERFCTRS", "NET", "MIXED", "ALLOCATED",
           "IDLE"}  # fmt: skip
PLANNED = {"MAINTENANCE", "MAINT", "RESERVED", "RES", "REBOOT_REQUESTED", "REBOOT_ISSUED", "REBOOT"}
PLANNED_WORDS = ("maint", "upgrade", "reboot", "planned", "scheduled", "reserv", "firmware update")
SHOWN = 6  # groups of nodes that one sentence names


@check(
    "slurm.nodes-available",
    asks="Are all nodes of the Slurm cluster up and taking jobs?",
    severity=Severity.HIGH,
    why="Drained and lost nodes are paid for and run nothing; each has its reason, often a fault.",
    fix="Follow each reason (`sinfo -R`), repair, then"
    " `scontrol update nodename=... state=resume`.",
    see=["https://slurm.schedmd.com/sinfo.html#SECTION_NODE-STATE-CODES"],
    reproduce="sinfo -R; scontrol show node -o | grep -E 'State=[^ ]*(DOWN|DRAIN|FAIL)'",
    plants=[
        plant(Edit(NODES.source, new="State=IDLE+DRAIN ThreadsPerCore=2 Reason=gpu fell off the bus"
                   " [root@2026-03-04T02:14:09] ", old="State=IDLE ThreadsPerCore=2 "),
              name="a node is drained"),
        plant(Edit(NODES.source, new="State=DOWN*", old="State=ALLOCATED"),
              name="a node does not respond"),
    ],
)  # fmt: skip
def nodes_available(nodes: Sequence[SlurmNode]) -> Iterator[Verdict]:
    """Count nodes by state, and name the lost ones with their reasons."""
    known = [n for n in {n.name: n for n in nodes}.values() if n.state != "FUTURE"]
    if not known:
        return
    odd = [n for n in known if n.state not in GOOD | LOST or set(n.flags) - LOST_FLAGS - NEUTRAL]
    lost = [n for n in known if n.state in LOST or set(n.flags) & LOST_FLAGS]
    planned = [n for n in lost if _planned(n)]
    broken = [n for n in lost if n not in planned]
    total = len(known)
    if broken:
        yield failed(SUBJECT, _sentence(broken, total, "are not available"))
    if planned:
        because = _sentence(planned, total, "are out for planned work")
        yield failed(SUBJECT, because, severity=Severity.LOW)
    strange = [n for n in odd if n not in lost]
    if strange:
        yield unknown(SUBJECT, _sentence(strange, total, "are in a state that is not known here"))
    if not lost and not strange:
        states = Counter(n.state.lower() for n in known)
        tally = ", ".join(f"{count} {state}" for state, count in states.most_common())
        yield passed(SUBJECT, f"{total} of {total} nodes take jobs: {tally}")


def _planned(node: SlurmNode) -> bool:
    """Drained on purpose: not one that is gone, whatever its reason says."""
    if node.state in LOST or "NOT_RESPONDING" in node.flags:
        return False
    said = node.reason.lower()
    return bool(PLANNED & set(node.flags)) or any(word in said for word in PLANNED_WORDS)


def _sentence(nodes: Sequence[SlurmNode], total: int, what: str) -> str:
    alike = defaultdict[tuple[str, str], list[str]](list)
    for node in nodes:
        signed = " ".join(part for part in (
            f"by {node.reason_by}" if node.reason_by else "",
            f"at {node.reason_at}" if node.reason_at else "") if part)  # fmt: skip
        reason = ", ".join(part for part in (node.reason[:120], signed) if part)
        alike[node.words, reason or "no reason given"].append(node.name)
    parts = [f"{_names(names)} {words} ({why})" for (words, why), names in alike.items()]
    more = f"; and {len(parts) - SHOWN} more reasons" if len(parts) > SHOWN else ""
    return f"{len(nodes)} of {total} nodes {what}: {'; '.join(parts[:SHOWN])}{more}"


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
