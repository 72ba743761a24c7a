"""Short lists of nvidia-smi: its GPUs, its versions, its MIG instances."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import VendorToolError
from assay.model.facts.nvidia import MigInstance
from assay.model.facts.software import Software
from assay.probes.nvidia_lost import Found, all_of
from assay.probes.nvidia_record import Record
from assay.probes.nvidia_words import errors, said, version
from assay.probes.pasted import clean, tried

LIST = saved(
    "nvidia-smi.list",
    looks_like=r"^[ \t]*GPU \d+: [^\n]+\(UUID: [^\n]*(?:\n[ \t]*(?:GPU \d+|MIG [\w.+]+ )[^\n]*)*",
)
VERSION = saved(
    "nvidia-smi.version",
    looks_like=r"^NVIDIA-SMI version *: [\d.]+[^\n]*(?:\n[A-Za-z]+ [^\n]*)*",
)
INSTANCES = saved(
    "nvidia-smi.mig",
    looks_like=r"^ *\| GPU instances: +\|(?:\n[^\n]*){0,5}|^No MIG-enabled devices found[^\n]*",
)

_GPU = re.compile(r"\s*GPU (\d{1,4}): (.{1,100}?) \(UUID: ([^)]{0,80})\).*")
_MIG = re.compile(r"\s*MIG +(\S+) +Device +(\d{1,4}): \(UUID: ([^)]*)\).*")
_VERSION = re.compile(r"(NVIDIA-SMI|NVML|DRIVER|KMD|CUDA|CUDA UMD) version *: *(.+)", re.IGNORECASE)
_COMPONENTS = {"nvidia-smi": "nvidia-smi", "driver": "nvidia-driver", "kmd": "nvidia-driver"}
_INSTANCE = re.compile(r"\| +(\d{1,4}) +MIG +(\S+) +(\d{1,4}) +(\d{1,4}) +(\d+:\d+) +\|")


@probe("nvidia.list", reads=[LIST])
def gpus(seen: Seen) -> Iterator[Found]:
    """GPUs and MIG devices that `nvidia-smi -L` lists."""
    if tried(seen, LIST) is None:
        return
    lines = clean(seen.text(LIST)).split("\n")
    complaints = list(errors("\n".join(line for line in lines if not _GPU.fullmatch(line))))
    records, migs = [], []
    for line in lines:
        if gpu := _GPU.fullmatch(line):
            values = {"product_name": gpu.group(2).strip(), "uuid": gpu.group(3)}
            records.append(Record("", values, index=int(gpu.group(1))))
        elif (mig := _MIG.fullmatch(line)) and records:
            index = records[-1].index or 0
            migs.append(
                MigInstance(index, int(mig.group(2)), mig.group(1), uuid=said(mig.group(3)))
            )
    yield from complaints
    yield from all_of(records, complaints)
    yield from migs
    if not records and any(c.kind != "no-devices" for c in complaints):
        raise Unread(complaints[0].message)
    if not records and not complaints:
        raise Unread("`nvidia-smi -L` lists no GPU")


@probe("nvidia.version", reads=[VERSION])
def versions(seen: Seen) -> Iterator[Software | VendorToolError]:
    """What `nvidia-smi --version` says of itself and of the driver."""
    if tried(seen, VERSION) is None:
        return
    text = clean(seen.text(VERSION))
    yield from errors(text)
    found: dict[str, str] = {}
    for line in text.split("\n"):
        row = _VERSION.fullmatch(line.strip())
        name = _COMPONENTS.get(row.group(1).lower(), "") if row else ""
        if row and name and version(row.group(2)):
            found[name] = version(row.group(2))
    for name, number in found.items():
        yield Software(name, number, "module" if name == "nvidia-driver" else "binary")
    if not found:
        raise Unread("`nvidia-smi --version` states no version")


@probe("nvidia.mig", reads=[INSTANCES])
def instances(seen: Seen) -> Iterator[MigInstance | VendorToolError]:
    """GPU instances that `nvidia-smi mig -lgi` lists."""
    if tried(seen, INSTANCES) is None:
        return
    text = clean(seen.text(INSTANCES))
    complaints = list(errors(text))
    yield from complaints
    found = 0
    for line in text.split("\n"):
        if row := _INSTANCE.fullmatch(line.strip()):
            found += 1
            yield MigInstance(
                int(row.group(1)),
                profile=row.group(2),
                gpu_instance=int(row.group(4)),
                placement=row.group(5),
            )
    if not found:
        raise Unread(complaints[0].message if complaints else "no GPU instance is listed")
