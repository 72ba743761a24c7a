"""Does the running kernel have the fixes that its builder's records name?"""

from collections.abc import Iterator, Sequence

from assay.advisories import inventory, verdicts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.software import ChangelogFix
from assay.model.facts.system import Kernel, Livepatch, OperatingSystem
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.kernel import KERNEL

_RELEASE, _BUILD = "/proc/sys/kernel/osrelease", "/proc/sys/kernel/version"


@check(
    "advisories.kernel",
    asks="Does the running kernel have the fixes that its builder's records name?",
    severity=Severity.HIGH,
    why="Containers share the kernel: a local root exploit in it opens every tenant's job.",
    fix="Install the kernel that the finding names, of the same flavour, and reboot into it.",
    see=["https://docs.kernel.org/process/cve.html", "https://ubuntu.com/security/notices"],
    reproduce="uname -rv",
    plants=[
        plant(
            Edit(KERNEL.source, "6.8.0-123-generic", "6.8.0-134-generic", _RELEASE),
            Edit(KERNEL.source, "#123~22.04.1-Ubuntu", "#134~22.04.1-Ubuntu", _BUILD),
            host="mi300x",
            name="an ABI before the fix",
        ),
        plant(
            Edit(KERNEL.source, "6.6.50", path=_RELEASE),
            Edit(KERNEL.source, "#1 SMP PREEMPT_DYNAMIC", path=_BUILD),
            host="mi300x",
            name="an upstream kernel of a series that has moved on",
        ),
    ],
)
def kernel(
    kernels: Sequence[Kernel],
    systems: Sequence[OperatingSystem] | None,
    livepatches: Sequence[Livepatch] | None,
    changelog: Sequence[ChangelogFix] | None,
) -> Iterator[Verdict]:
    """Judge what runs, by the records of whoever built it; a live patch counts by its record."""
    known = inventory.host(changelog=changelog, livepatches=livepatches)
    yield from verdicts.judge(inventory.of_kernel(kernels, systems), known)
