"""Automatic NUMA balancing moves pages under running kernels."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.cpu import NumaNode
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import Sysctl
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.kernel_values import whole
from assay.probes.sysctl import SETTINGS

NAME = "kernel.numa_balancing"


@check(
    "system.numa-balancing",
    asks="Is automatic NUMA balancing off?",
    severity=Severity.LOW,
    why="Its page faults and migrations stall GPU memory accesses and make collectives uneven; "
    "accelerator makers ask to turn it off.",
    fix="sysctl -w kernel.numa_balancing=0, and keep it in /etc/sysctl.d/.",
    see=[
        "https://rocm.docs.amd.com/en/latest/how-to/system-optimization/mi300x.html",
        "https://nvidia.github.io/grace-cpu-benchmarking-guide/platform/index.html",
        "https://www.kernel.org/doc/html/latest/admin-guide/sysctl/kernel.html",
    ],
    reproduce="cat /proc/sys/kernel/numa_balancing",
    plants=[plant(Edit(SETTINGS.source, path="/proc/sys/kernel/numa_balancing", new="1\n"))],
)
def numa_balancing(
    settings: Sequence[Sysctl], devices: Sequence[PciDevice], nodes: Sequence[NumaNode]
) -> Iterator[Verdict]:
    """Read kernel.numa_balancing where there is more than one memory node."""
    if not accelerators(devices):
        return
    if len(nodes) < 2:
        yield not_applicable(HOST, f"{len(nodes)} memory node")
        return
    values = [whole(found.value) for found in settings if found.name == NAME]
    value = None if not values or None in values else max(v for v in values if v is not None)
    if value is None:
        yield unknown(HOST, f"{NAME} was not read")
    elif value:
        yield failed(HOST, f"{NAME} is {value}, 0 is wanted")
    else:
        yield passed(HOST, f"{NAME} is 0")
