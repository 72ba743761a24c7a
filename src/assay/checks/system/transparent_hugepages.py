"""Without huge pages large models spend their time in page tables."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.memory import TransparentHugePages
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.memory import THP, THP_ROOT


@check(
    "system.transparent-hugepages",
    asks="May programs have transparent huge pages?",
    severity=Severity.LOW,
    why="Pinned host buffers and large allocations in 4 KiB pages cost registration time and TLB "
    "misses.",
    fix="echo madvise (or always) > /sys/kernel/mm/transparent_hugepage/enabled, and keep it.",
    see=[
        "https://www.kernel.org/doc/html/latest/admin-guide/mm/transhuge.html",
        "https://rocm.docs.amd.com/en/latest/how-to/system-optimization/mi300x.html",
    ],
    reproduce="cat /sys/kernel/mm/transparent_hugepage/enabled",
    plants=[
        plant(Edit(THP.source, path=THP_ROOT + "enabled", new="always madvise [never]\n")),
    ],
)
def transparent_hugepages(
    chosen: Sequence[TransparentHugePages], devices: Sequence[PciDevice]
) -> Iterator[Verdict]:
    """Read the chosen word."""
    if not accelerators(devices):
        return
    for found in chosen:
        if found.enabled in ("always", "madvise"):
            yield passed(HOST, f"transparent huge pages: {found.enabled}")
        elif found.enabled == "never":
            yield failed(HOST, "transparent huge pages: never; madvise or always is wanted")
        else:
            yield unknown(HOST, f"transparent huge pages: {found.enabled!r}")
