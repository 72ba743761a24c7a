"""Settings of the NVIDIA driver as it is loaded."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.exposure import NvidiaParameter

PARAMETERS = files(
    "/proc/driver/nvidia/params",
    name="nvidia-params",
    looks_like=r"^ResmanDebugLevel: |^RmProfilingAdminOnly: ",
)
_LINE = re.compile(r'(\w+): (?:"(.*)"|(.*))')


@probe("software.nvidia-params", reads=[PARAMETERS])
def parameters(seen: Seen) -> Iterator[NvidiaParameter]:
    """Registry keys of the loaded NVIDIA driver."""
    text = seen.file(PARAMETERS)
    if text is None:
        return
    found = [match for line in text.splitlines() if (match := _LINE.fullmatch(line.strip()))]
    if not found:
        raise Unread(f"`{PARAMETERS.source}` holds no parameter: {text.strip()[:80]!r}")
    for match in found:
        yield NvidiaParameter(match[1], match[2] if match[2] is not None else match[3].strip())
