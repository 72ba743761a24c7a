"""Profilers resolve kernel addresses only when the kernel shows them."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.checks.system.setting import level
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import Sysctl
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.sysctl import SETTINGS

NAME = "kernel.kptr_restrict"


@check(
    "system.kernel-pointers",
    asks="Can an ordinary user's profiler resolve kernel symbols?",
    severity=Severity.INFO,
    why="With kptr_restrict above 0, perf and Nsight Systems show kernel time as bare addresses. "
    "Where strangers share a node, 1 is the better choice.",
    fix="sysctl -w kernel.kptr_restrict=0 on nodes that one tenant has to itself.",
    see=[
        "https://www.kernel.org/doc/html/latest/admin-guide/sysctl/kernel.html",
        "https://www.kernel.org/doc/html/latest/admin-guide/perf-security.html",
    ],
    reproduce="cat /proc/sys/kernel/kptr_restrict",
    plants=[plant(Edit(SETTINGS.source, path="/proc/sys/kernel/kptr_restrict", new="1\n"))],
)
def kernel_pointers(settings: Sequence[Sysctl], devices: Sequence[PciDevice]) -> Iterator[Verdict]:
    """Read kernel.kptr_restrict."""
    if not accelerators(devices):
        return
    value = level(settings, NAME)
    if value is None:
        yield unknown(HOST, f"{NAME} was not read")
    elif value:
        yield failed(HOST, f"{NAME} is {value}, 0 is wanted")
    else:
        yield passed(HOST, f"{NAME} is 0")
