"""Does anybody still fix the series of the running kernel?"""

from collections.abc import Iterator, Sequence

from assay.advisories import ages, inventory
from assay.advisories.versions import BadVersion, parse
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.system import Kernel, OperatingSystem
from assay.model.finding import HOST, Verdict, passed, unknown
from assay.model.outcome import Severity
from assay.probes.kernel import KERNEL


@check(
    "advisories.kernel-supported",
    asks="Does anybody still fix the series of the running kernel?",
    severity=Severity.HIGH,
    why="A self-built kernel of a series that has ended gets no fixes at all.",
    fix="Run a long-term series, or the distribution's own kernel.",
    see=["https://www.kernel.org/category/releases.html"],
    reproduce="uname -r",
    plants=[
        plant(
            Edit(KERNEL.source, "6.8.12", path="/proc/sys/kernel/osrelease"),
            Edit(KERNEL.source, "#1 SMP PREEMPT_DYNAMIC", path="/proc/sys/kernel/version"),
        )
    ],
)
def kernel_supported(
    kernels: Sequence[Kernel], systems: Sequence[OperatingSystem] | None
) -> Iterator[Verdict]:
    """A distribution fixes its own kernels for as long as the release lives; others by series."""
    for thing in inventory.of_kernel(kernels, systems):
        if thing.distro:
            yield passed(HOST, f"{thing.version} is fixed by {thing.distro} with its release")
            continue
        try:
            branch = parse("kernel", thing.version).branch
        except BadVersion as bad:
            yield unknown(HOST, f"unknown version: {bad}")
            continue
        yield ages.verdict("linux", f"kernel {thing.version}", branch, (branch,))
