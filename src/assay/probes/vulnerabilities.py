"""The kernel's own word on every CPU vulnerability that it knows."""

from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen
from assay.model.facts.system import CpuVulnerability
from assay.probes.cpu_lscpu import LSCPU, pairs

ROOT = "/sys/devices/system/cpu/vulnerabilities/"
VULNERABILITIES = files(ROOT + "*", name="cpu-vulnerabilities")


@probe("system.cpu-vulnerabilities", reads=[VULNERABILITIES, LSCPU])
def vulnerabilities(seen: Seen) -> Iterator[CpuVulnerability]:
    """CPU vulnerabilities by the kernel's names, each with its status."""
    if seen.capture(LSCPU) is not None:
        for field, status in pairs(seen.text(LSCPU)):
            if field.startswith("Vulnerability "):
                name = field.removeprefix("Vulnerability ").strip().lower().replace(" ", "_")
                yield CpuVulnerability(name, status)
        return
    for path, text in seen.files(VULNERABILITIES):
        yield CpuVulnerability(path.removeprefix(ROOT), text.strip())
