"""What the MI300X node does not have: anything of NVIDIA's."""

from collections.abc import Iterator

from assay.demo.hosts import absent
from assay.model.evidence import Capture
from assay.probes import nvidia_driver, nvidia_nvlink, nvidia_smi, nvidia_topology


def captures() -> Iterator[Capture]:
    """Looked, and nothing there."""
    for reading in (
        nvidia_smi.XML,
        nvidia_nvlink.STATUS,
        nvidia_nvlink.ERRORS,
        nvidia_topology.MATRIX,
        nvidia_driver.GPUS,
    ):
        yield absent(reading)
