"""Without its memory node, nothing can place a job near its GPU."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators, named, network_adapters
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.cpu import NumaNode
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.pci import FUNCTIONS, ROOT

NOWHERE = -1  # the kernel's word when the firmware does not say


@check(
    "pci.accelerator-numa",
    asks="Does every accelerator say which memory node it is near to?",
    severity=Severity.LOW,
    why="NCCL, schedulers and data loaders bind processes by the GPU's NUMA node; without one "
    "half of them run on the far socket.",
    fix="Update the machine's firmware (ACPI _PXM of the root bridges); on a virtual machine ask "
    "for a virtual NUMA topology.",
    see=[
        "https://www.kernel.org/doc/html/latest/PCI/sysfs-pci.html",
        "https://www.kernel.org/doc/html/latest/admin-guide/mm/numa_memory_policy.html",
    ],
    reproduce="grep . /sys/bus/pci/devices/*/numa_node",
    plants=[plant(Edit(FUNCTIONS.source, path=ROOT + "0000:c3:00.0/numa_node", new="-1\n"))],
)
def accelerator_numa(devices: Sequence[PciDevice], nodes: Sequence[NumaNode]) -> Iterator[Verdict]:
    """Compare numa_node with the nodes of this machine."""
    computing = accelerators(devices)
    if not computing:
        return
    known = {node.node for node in nodes}
    if len(known) < 2:
        yield not_applicable(HOST, f"{len(known)} memory node")
        return
    fabric = [d for d in network_adapters(devices) if d.class_id.startswith("0207")]
    for device in [*computing, *fabric]:
        if device.numa_node is None:
            yield unknown(named(device), "its NUMA node was not read")
        elif device.numa_node in known:
            yield passed(named(device), f"near NUMA node {device.numa_node}")
        else:
            seen = "no node" if device.numa_node == NOWHERE else f"node {device.numa_node}"
            yield failed(named(device), f"it names {seen}, the machine has {sorted(known)}")
