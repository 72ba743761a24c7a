"""CUDA toolkits, ROCm, and the NVIDIA kernel module that is loaded."""

import re
from collections.abc import Iterator

from assay.kit import json
from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.software import Software

TOOLKITS = files(
    "{/usr/local/cuda*,/opt/cuda*,/opt/nvidia/hpc_sdk/Linux_*/*/cuda/*}/version.{json,txt}",
    name="cuda-version",
    looks_like=r'^[ \t]{0,16}\{?\s{0,64}"cuda"\s{0,8}:\s{0,8}\{\s{0,64}"name"\s{0,8}:'
    r"|^CUDA Version \d+\.\d+",
)
ROCM = files("/opt/rocm*/.info/version", name="rocm-version")
MODULE = files(
    "/proc/driver/nvidia/version",
    name="nvidia-module",
    looks_like=r"^NVRM version: NVIDIA UNIX .*Kernel Module.*$",
)
_PARTS = {
    "cuda": "cuda-toolkit",
    "nsight_compute": "nsight-compute",
    "nsight_systems": "nsight-systems",
}
_TEXT = re.compile(r"^CUDA Version (\d+(?:\.\d+)+)", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:\.\d+)+(?:[-+]\S+)?")
_MODULE = re.compile(
    r"^NVRM version: NVIDIA UNIX (?P<flavour>(?:Open )?(?:\S+ )?Kernel Module)(?: for \S+)?"
    r"\s+(?P<version>\d+\.\d+(?:\.\d+)?)",
    re.MULTILINE,
)


@probe("software.cuda-toolkits", reads=[TOOLKITS])
def toolkits(seen: Seen) -> Iterator[Software]:
    """CUDA toolkits with their update number, which `nvcc --version` does not tell."""
    damaged = []
    for path, text in seen.files(TOOLKITS):
        try:
            yield from _toolkit(path, text)
        except Unread as reason:
            damaged.append(str(reason))
    if damaged:
        raise Unread("; ".join(damaged))


def _toolkit(path: str, text: str) -> Iterator[Software]:
    if old := _TEXT.search(text):
        yield Software("cuda-toolkit", old[1], "file", path)
        return
    top = json.mapping(json.value(text, path), path)
    for key, component in _PARTS.items():
        part = top.get(key)
        version = part.get("version") if isinstance(part, dict) else None
        if isinstance(version, str) and _NUMBER.fullmatch(version):
            yield Software(component, version, "file", path)


@probe("software.rocm", reads=[ROCM])
def rocm(seen: Seen) -> Iterator[Software]:
    """ROCm releases by their version files."""
    for path, text in seen.files(ROCM):
        if not _NUMBER.fullmatch(text.strip()):
            raise Unread(f"`{path}` holds {text.strip()[:80]!r}")
        yield Software("rocm", text.strip(), "file", path)


@probe("software.nvidia-module", reads=[MODULE])
def module(seen: Seen) -> Iterator[NvidiaModule]:
    """The NVIDIA kernel module that is loaded, and whether it is the open one."""
    text = seen.file(MODULE)
    if text is None:
        return
    found = _MODULE.search(text)
    if found is None:
        raise Unread(f"`{MODULE.source}` names no version: {text.strip()[:80]!r}")
    yield NvidiaModule(found["version"], found["flavour"].startswith("Open "))
