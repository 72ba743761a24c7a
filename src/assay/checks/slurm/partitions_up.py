"""A partition that is down or inactive takes jobs and does not start them."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.slurm import SlurmPartition
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.slurm_partitions import PARTITIONS

CLOSED = {
    "DOWN": "jobs queue and do not start",
    "DRAIN": "no new job is taken",
    "INACTIVE": "no job is taken or started",
}


@check(
    "slurm.partitions-up",
    asks="Are Slurm's partitions open?",
    severity=Severity.MEDIUM,
    why="Jobs in a closed partition wait for ever, whatever the nodes' states say.",
    fix="`scontrol update partitionname=... state=up` once its reason is gone.",
    see=["https://slurm.schedmd.com/scontrol.html"],
    reproduce="scontrol show partition -o | grep -o 'PartitionName=[^ ]*\\| State=[^ ]*'",
    plants=[plant(Edit(PARTITIONS.source, old="State=UP", new="State=DOWN"))],
)
def partitions_up(partitions: Sequence[SlurmPartition]) -> Iterator[Verdict]:
    """The state of every partition."""
    for partition in partitions:
        subject = f"partition {partition.name}"
        if partition.state == "UP":
            yield passed(subject, "its state is UP")
        elif partition.state in CLOSED:
            why = CLOSED[partition.state]
            yield failed(subject, f"its state is {partition.state}: {why}")
        else:
            yield unknown(subject, f"its state is {partition.state or 'not said'}")
