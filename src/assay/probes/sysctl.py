"""Kernel settings under /proc/sys that the checks ask about."""

from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen
from assay.model.facts.system import Sysctl

PREFIX = "/proc/sys/"
SETTINGS = files(
    PREFIX + "kernel/{perf_event_paranoid,kptr_restrict,dmesg_restrict,unprivileged_bpf_disabled}",
    name="sysctl",
)


@probe("system.sysctl", reads=[SETTINGS])
def settings(seen: Seen) -> Iterator[Sysctl]:
    """Kernel settings by their dotted names."""
    for path, text in seen.files(SETTINGS):
        yield Sysctl(path.removeprefix(PREFIX).replace("/", "."), text.strip())
