"""Packages of the MI300X node (Ubuntu 22.04)."""

from collections.abc import Iterator

from assay.demo.hgx_h100.software_packages import BASE, KERNEL_TEAM, listed, written
from assay.demo.hosts import absent
from assay.demo.mi300x.host_linux import NODE
from assay.model.evidence import Capture
from assay.probes import changelogs, packages

AMD = "ROCm Dev Support <rocm-dev.support@amd.com>"
OWN = (
    (f"linux-image-{NODE.release}", "6.8.0-134.134~22.04.1", "linux-signed-hwe-6.8",
     "6.8.0-134.134~22.04.1", KERNEL_TEAM),
    ("rocm-core", "7.0.1.70001-42~22.04", "rocm-core", "7.0.1.70001-42~22.04", AMD),
    ("rccl", "2.26.6.70001-42~22.04", "rccl", "2.26.6.70001-42~22.04", AMD),
    ("amdgpu-dkms", "1:6.14.14.30100100-2212064.22.04", "amdgpu-dkms",
     "1:6.14.14.30100100-2212064.22.04", AMD),
)  # fmt: skip


def captures() -> Iterator[Capture]:
    """The package database, and the changelogs of those who asked for them."""
    yield listed((*BASE, *OWN))
    yield absent(packages.RPM)
    yield absent(changelogs.RPM)
    yield written()
