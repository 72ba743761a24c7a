"""Versions of libraries by the names that their links point to: nothing is started for it."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.kit.probe import probe
from assay.kit.reading import links
from assay.kit.seen import Seen
from assay.model.evidence import Status
from assay.model.facts.software import Software
from assay.probes.software_unread import or_unread

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
_LIBRARY = re.compile(r"[\w./+-]*\.so(?:[.\d]*)|/etc/alternatives/\S+")


@probe("software.libraries", reads=[LIBRARIES])
def libraries(seen: Seen) -> Iterator[Software]:
    """NCCL, RCCL, cuDNN, DCGM, GDRCopy and libnvidia-container by their shared libraries."""
    components = dict.fromkeys(_LIBRARIES.values())
    yield from or_unread(seen, LIBRARIES, components, _linked(seen), "library")


def _linked(seen: Seen) -> Iterator[Software]:
    for entry in seen.entries(LIBRARIES):
        path = PurePosixPath(entry.path)
        target = entry.data.decode("utf-8", "replace").strip()
        component, version = _LIBRARIES.get(path.name), _VERSION.search(target)
        if component is None:
            continue
        if entry.status == Status.ANSWERED and version:
            yield Software(component, version[1], "library", entry.path)
            continue
        # A link to a name without a version is a custom build; any other target is no library.
        if entry.status != Status.ANSWERED or not _LIBRARY.fullmatch(target):
            seen.lose(entry.path, f"{entry.status} {target[:60]!r}")
            yield Software(component, "", "library", entry.path, f"{entry.status} {target[:60]}")
