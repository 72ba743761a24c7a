"""CPUs that save power launch kernels late."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.cpu import CpuFrequency
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.cpu import FREQUENCY, ROOT

WANTED = "performance"
OTHERS = frozenset({"powersave", "ondemand", "conservative", "schedutil", "userspace"})


@check(
    "system.cpu-governor",
    asks="Do all CPUs run under the performance governor?",
    severity=Severity.LOW,
    why="Kernel launches, data loading and the network stack wait for CPUs that clock up; "
    "latencies scatter and collectives wait for the slowest.",
    fix="cpupower frequency-set -g performance, and keep it (tuned, or a boot service).",
    see=[
        "https://www.kernel.org/doc/html/latest/admin-guide/pm/cpufreq.html",
        "https://nvidia.github.io/grace-cpu-benchmarking-guide/platform/index.html",
    ],
    reproduce="sort /sys/devices/system/cpu/cpufreq/policy*/scaling_governor | uniq -c",
    plants=[
        plant(
            Edit(
                FREQUENCY.source,
                path=ROOT + "cpufreq/policy7/scaling_governor",
                new="powersave\n",
            )
        ),
    ],
)
def cpu_governor(
    frequencies: Sequence[CpuFrequency], devices: Sequence[PciDevice]
) -> Iterator[Verdict]:
    """Count the governors; a virtual machine has none."""
    if not accelerators(devices):
        return
    for found in frequencies:
        words = {governor for governor, _ in found.governors}
        said = ", ".join(f"{count} CPUs {governor}" for governor, count in found.governors)
        said = f"{said} ({found.driver or 'unknown driver'})"
        if words == {WANTED}:
            yield passed(HOST, said)
        elif words <= OTHERS | {WANTED}:
            yield failed(HOST, f"{said}; {WANTED} is wanted on all")
        else:
            yield unknown(HOST, said)
