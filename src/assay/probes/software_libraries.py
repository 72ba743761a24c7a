"""Versions of libraries by the names that their links point to: nothing is started for it."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.kit.probe import probe
from assay.kit.reading import links
from assay.kit.seen import Seen
from assay.model.evidence import Status
from assay.model.facts.software import Software

# Whole names, no wildcards in the large folders: the collector then only looks them up.
_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib",
    "/usr/local/lib64", "/usr/local/cuda*/lib64", "/usr/local/nccl*/lib", "/opt/nccl*/build/lib",
    "/opt/rocm*/lib", "/opt/aws-ofi-nccl*/lib", "/opt/amazon/ofi-nccl/lib",
)  # fmt: skip
_LIBRARIES = {
    "libnccl.so.2": "nccl",
    "libcudnn.so.8": "cudnn",
    "libcudnn.so.9": "cudnn",
    "libdcgm.so.3": "dcgm",
    "libdcgm.so.4": "dcgm",
    "libnvidia-container.so.1": "libnvidia-container",
    "libgdrapi.so.2": "gdrcopy",
    "librccl.so.1": "rccl",
}
LIBRARIES = links("{" + ",".join(_FOLDERS) + "}/{" + ",".join(_LIBRARIES) + "}", name="libraries")
_VERSION = re.compile(r"\.so\.(\d+(?:\.\d+)+)$")


@probe("software.libraries", reads=[LIBRARIES])
def libraries(seen: Seen) -> Iterator[Software]:
    """NCCL, RCCL, cuDNN, DCGM, GDRCopy and libnvidia-container by their shared libraries."""
    for entry in seen.entries(LIBRARIES):
        path = PurePosixPath(entry.path)
        component = _LIBRARIES.get(path.name)
        version = _VERSION.search(entry.data.decode("utf-8", "replace").strip())
        if component and version and entry.status == Status.ANSWERED:
            yield Software(component, version[1], "library", entry.path)
