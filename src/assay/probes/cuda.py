"""CUDA toolkits, ROCm, and the NVIDIA kernel module that is loaded."""

import re
from collections.abc import Iterator

from assay.kit import json
from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.software import Software
from assay.probes.software_unread import lost, or_unread

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
    yield from or_unread(seen, TOOLKITS, ["cuda-toolkit"], _toolkits(seen))
    yield from lost(seen, "cuda-toolkit")


def _toolkits(seen: Seen) -> Iterator[Software]:
    for path, text in seen.files(TOOLKITS):
        try:
            yield from _toolkit(path, text)
        except Unread as reason:
            seen.lose(path, str(reason))


def _toolkit(path: str, text: str) -> Iterator[Software]:
    if old := _TEXT.search(text):
        yield Software("cuda-toolkit", old[1], "file", path)
        return
    top = json.mapping(json.value(text, path), path)
    named = [key for key in _PARTS if key in top]
    if not named:
        raise Unread(f"`{path}` names no part of CUDA")
    for key in named:
        part = top[key]
        version = part.get("version") if isinstance(part, dict) else None
        if not isinstance(version, str) or not _NUMBER.fullmatch(version):
            raise Unread(f"`{path}` gives {key} the version {str(version)[:40]!r}")
        yield Software(_PARTS[key], version, "file", path)


@probe("software.rocm", reads=[ROCM])
def rocm(seen: Seen) -> Iterator[Software]:
    """ROCm releases by their version files."""
    yield from or_unread(seen, ROCM, ["rocm"], _releases(seen))
    yield from lost(seen, "rocm")


def _releases(seen: Seen) -> Iterator[Software]:
    for path, text in seen.values(ROCM, {"version": _NUMBER.pattern}):
        yield Software("rocm", text, "file", path)


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
