"""The MI300X node stands alone: it has a name, and no Slurm."""

from collections.abc import Iterator

from assay.demo.hosts import absent, pack
from assay.model.evidence import Capture
from assay.probes import hostname, slurm_config, slurm_nodes, slurm_partitions


def captures() -> Iterator[Capture]:
    """Looked, and no scontrol there."""
    yield pack(hostname.HOSTNAME, {"/proc/sys/kernel/hostname": "mi300x-001\n"})
    for reading in (
        slurm_config.CONFIG,
        slurm_nodes.NODES,
        slurm_nodes.TOPOLOGY,
        slurm_partitions.PARTITIONS,
    ):
        yield absent(reading)
