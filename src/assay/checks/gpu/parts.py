"""What the makers say of a part, for the checks of this area."""

from assay.kit.accelerator import Part, registry
from assay.model.facts.accelerator import Accelerator

NVML = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"
MEMORY_ERRORS = "https://docs.nvidia.com/deploy/gpu-memory-error-management/index.html"


def part_of(device: Accelerator) -> Part | None:
    """The entry of the parts table for *device*; None when it is not listed."""
    vendor = registry.get(device.vendor)
    return vendor.part(device.product) if vendor else None
