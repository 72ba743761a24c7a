"""What the makers say of a part, and which devices a rule for data centres is about."""

import re
from collections.abc import Iterator, Sequence

from assay.kit.accelerator import Part, registry
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice

NVML = "https://docs.nvidia.com/deploy/nvidia-smi/index.html"
MEMORY_ERRORS = "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html"

# Cards of desktops, laptops and workstations, by the words in their names.
_DESKTOP = re.compile(
    r"\b(?:GeForce|TITAN|Quadro|NVS|GTX|RTX|MX\d|Ryzen|Graphics|Radeon(?! Instinct))\b",
    re.IGNORECASE,
)


def part_of(device: Accelerator) -> Part | None:
    """The entry of the parts table for *device*; None when it is not listed."""
    vendor = registry.get(device.vendor)
    return vendor.part(device.product) if vendor else None


def answering(devices: Sequence[Accelerator]) -> Iterator[Accelerator]:
    """Devices that gave values; a device that gave an error is the matter of gpu.none-lost."""
    return (device for device in devices if not device.fault)


def for_servers(device: Accelerator) -> bool:
    """True for a part of data centres, also for one that is newer than the table."""
    return part_of(device) is not None or not _DESKTOP.search(device.product)


def more_of(device: Accelerator, details: Sequence[NvidiaDevice] | None) -> NvidiaDevice | None:
    """What only NVIDIA's tool says of *device*."""
    if device.vendor != "nvidia":
        return None
    return next((more for more in details or () if more.index == device.index), None)


def is_share(device: Accelerator, details: Sequence[NvidiaDevice] | None) -> bool:
    """True when *device* is a vGPU: a share of a board, which hides what the board is like."""
    more = more_of(device, details)
    return more is not None and more.virtualization.strip().lower() == "vgpu"
