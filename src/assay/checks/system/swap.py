"""A GPU job that swaps is a job that has stopped."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.memory import Memory
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.memory import MEMINFO

GIB = 1 << 30


@check(
    "system.swap",
    asks="Is swap off on nodes with accelerators?",
    severity=Severity.INFO,
    why="One rank that swaps stalls all others, and the kubelet refuses swap unless told to "
    "bear it; running out of memory should end the job at once.",
    fix="swapoff -a, and remove the swap line from /etc/fstab.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/sysctl/vm.html"],
    reproduce="cat /proc/swaps",
    plants=[
        plant(
            Edit(
                MEMINFO.source,
                path="/proc/meminfo",
                old="SwapTotal:             0 kB",
                new="SwapTotal:       8388604 kB",
            )
        ),
    ],
)
def swap(memory: Sequence[Memory], devices: Sequence[PciDevice]) -> Iterator[Verdict]:
    """Read how much swap there is."""
    if not accelerators(devices):
        return
    for found in memory:
        if found.swap_total is None:
            yield unknown(HOST, "the amount of swap was not read")
        elif found.swap_total:
            yield failed(HOST, f"{found.swap_total / GIB:.3g} GiB of swap, none is wanted")
        else:
            yield passed(HOST, "no swap")
