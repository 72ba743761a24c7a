"""A node without RealMemory in slurm.conf has 1 MiB in Slurm's eyes."""

from collections.abc import Iterator, Sequence

from assay.checks.slurm.settings import SLURM_CONF, SUBJECT
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmNode
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_nodes import NODES

LEAST = 16 * 1024  # MiB for each GPU; no accelerator for data centres comes with less
SHOWN = 4


@check(
    "slurm.real-memory",
    asks="Does Slurm know how much memory its GPU nodes have?",
    severity=Severity.MEDIUM,
    why="RealMemory is 1 MiB unless it is set: jobs that ask for memory wait for ever, or are"
    " killed at a limit that has nothing to do with the node.",
    fix="Set RealMemory to what `slurmd -C` prints, less what the system needs.",
    see=[SLURM_CONF + "#OPT_RealMemory"],
    reproduce="scontrol show node -o | grep -o 'NodeName=[^ ]*\\|RealMemory=[^ ]*'",
    plants=[plant(Edit(NODES.source, old="RealMemory=2063000", new="RealMemory=2048"))],
)
def real_memory(nodes: Sequence[SlurmNode]) -> Iterator[Verdict]:
    """RealMemory of every node that has GPUs."""
    known = {node.name: node for node in nodes if node.gpus and node.state != "FUTURE"}.values()
    silent = [node for node in known if node.memory_mib is None]
    small = [n for n in known if n.memory_mib is not None and n.memory_mib < LEAST * (n.gpus or 1)]
    if small:
        more = f" and {len(small) - SHOWN} more" if len(small) > SHOWN else ""
        told = ", ".join(f"{n.name} {n.memory_mib} MiB for {n.gpus} GPUs" for n in small[:SHOWN])
        yield failed(SUBJECT, f"RealMemory of {len(small)} of {len(known)} GPU nodes: {told}{more}")
    if silent:
        yield unknown(SUBJECT, f"{len(silent)} GPU nodes do not say their RealMemory")
    if known and not small and not silent:
        least = min(node.memory_mib or 0 for node in known)
        yield passed(SUBJECT, f"RealMemory of {len(known)} GPU nodes is at least {least} MiB")
