"""One node with fewer or other accelerators spoils a job of many."""

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.checks.system.majority import UNNAMED, compared, products
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.fact import Fleet
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.dmi import Machine
from assay.model.finding import Verdict
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.same-count",
    asks="Have all nodes of one kind the same accelerators, and as many?",
    severity=Severity.HIGH,
    why="A node with fewer or other accelerators takes jobs that it cannot run.",
    fix="Drain the odd nodes; find the missing devices in their kernel logs, or replace the odd "
    "boards.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=name,memory.total --format=csv | sort | uniq -c",
    plants=[
        plant(Edit(XML.source, old="<product_name>NVIDIA H100 80GB HBM3<",
                   new="<product_name>NVIDIA H100 NVL<", count=0), name="another part"),
        plant(Edit(XML.source, new="No devices were found\n", exit_code=6), name="none at all"),
    ],
)  # fmt: skip
def same_count(devices: Fleet[Accelerator], machines: Fleet[Machine] | None) -> Iterator[Verdict]:
    """Compare nodes of the same product; those with none count where their like have some."""
    kinds = products(machines) if machines else {}
    said: dict[str, str] = {}
    empty: list[str] = []
    for group in devices:
        if group.facts:
            said |= dict.fromkeys(group.nodes, _words(group.facts))
        else:
            empty += group.nodes
    computing = {kinds.get(node, UNNAMED) for node in said} - {UNNAMED}
    told = {node for group in machines or () for node in group.nodes}
    said |= {
        node: "none"
        for node in empty
        if kinds.get(node) in computing or (computing and node not in told)
    }
    yield from compared(said, kinds, "the set of accelerators")


def _words(devices: Sequence[Accelerator]) -> str:
    counts = Counter(_name(device) for device in devices)
    return ", ".join(f"{count} x {name}" for name, count in sorted(counts.items()))


def _name(device: Accelerator) -> str:
    if device.fault:
        return "one that answers with an error"
    name = device.product or f"unnamed {device.vendor}"
    return name if device.memory_mib is None else f"{name} of {device.memory_mib / 1024:.0f} GiB"
