"""A crashed job on a node of two terabytes can write a core file of that size."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.checks.system.setting import word
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import Sysctl
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.sysctl import SETTINGS

NAME = "kernel.core_pattern"


@check(
    "system.core-dumps",
    asks="Do core dumps stay away from the job's own folder?",
    severity=Severity.INFO,
    why="A pattern without a path writes one core file for each rank into the job's folder, often "
    "a shared file system, all at once.",
    fix="Pipe them to systemd-coredump or apport, or give the pattern a path on local scratch.",
    see=["https://man7.org/linux/man-pages/man5/core.5.html"],
    reproduce="cat /proc/sys/kernel/core_pattern",
    plants=[
        plant(
            Edit(SETTINGS.source, path="/proc/sys/kernel/core_pattern", new="core\n"),
        ),
    ],
)
def core_dumps(settings: Sequence[Sysctl], devices: Sequence[PciDevice]) -> Iterator[Verdict]:
    """Read where core files go. (The core limit differs by session, so it is not judged.)"""
    if not accelerators(devices):
        return
    pattern = word(settings, NAME)
    if not pattern:
        yield unknown(HOST, f"{NAME} was not read")
    elif pattern.startswith("|"):
        yield passed(HOST, f"core dumps are piped to {pattern[1:].split(' ')[0]}")
    elif pattern.startswith("/"):
        yield passed(HOST, f"core files go to {pattern}")
    else:
        yield failed(HOST, f"core files go to the job's folder (pattern {pattern!r})")
