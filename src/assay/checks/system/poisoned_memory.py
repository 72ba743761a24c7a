"""Memory that the kernel took out of use after a hardware error stays lost until the reboot."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.memory import Memory
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.memory import MEMINFO

KIB = 1024


@check(
    "system.poisoned-memory",
    asks="Has the kernel taken no memory out of use after hardware errors?",
    severity=Severity.MEDIUM,
    why="A poisoned page is an uncorrectable error that was met; the module will have more.",
    fix="Find the module in the kernel log or the BMC's event log, replace it.",
    see=["https://www.kernel.org/doc/html/latest/mm/hwpoison.html"],
    reproduce="grep HardwareCorrupted /proc/meminfo",
    plants=[
        plant(
            Edit(
                MEMINFO.source,
                path="/proc/meminfo",
                old="HardwareCorrupted:     0 kB",
                new="HardwareCorrupted:     8 kB",
            )
        ),
    ],
)
def poisoned_memory(memory: Sequence[Memory]) -> Iterator[Verdict]:
    """Read HardwareCorrupted; kernels without memory failure handling do not have it."""
    for found in memory:
        if found.poisoned:
            yield failed(HOST, f"{found.poisoned // KIB} KiB are out of use after errors")
        elif found.poisoned == 0:
            yield passed(HOST, "no memory is out of use")
