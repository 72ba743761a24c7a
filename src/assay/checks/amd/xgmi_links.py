"""The links between the AMD GPUs of one node."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.device import XgmiLink
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.amd_devices import XGMI


@check(
    "amd.xgmi-links",
    asks="Are all xGMI links between the AMD GPUs of a node up, and equally fast?",
    severity=Severity.HIGH,
    why="With one link down, traffic between two GPUs takes a detour over PCIe or a neighbour, and "
    "every collective of the node runs at the pace of that pair.",
    fix="Reset all GPUs of the node (the hive trains its links together), or power-cycle it; if "
    "the link stays down, reseat or replace the module or the baseboard.",
    see=[
        "https://rocm.docs.amd.com/projects/amdsmi/en/latest/how-to/amdsmi-cli-tool.html",
        "https://rocm.docs.amd.com/en/latest/conceptual/gpu-arch/mi300.html",
    ],
    reproduce="amd-smi xgmi",
    plants=[
        plant(
            Edit(
                XGMI.source,
                old='"U",\n                "SELF"',
                new='"D",\n                "SELF"',
            ),
            host="mi300x",
            name="down",
        ),
        plant(
            Edit(XGMI.source, old='"value": 512,', new='"value": 256,'),
            host="mi300x",
            name="slow",
        ),
    ],
)
def xgmi_links(links: Sequence[XgmiLink]) -> Iterator[Verdict]:
    """Judge the links of each GPU; the best-connected GPU shows how many there should be."""
    by_gpu: dict[int, list[XgmiLink]] = defaultdict(list)
    for link in links:
        by_gpu[link.index].append(link)
    most = max((len(of_gpu) for of_gpu in by_gpu.values()), default=0)
    fastest = max((link.gbytes_per_second or 0 for link in links), default=0)
    for gpu, of_gpu in sorted(by_gpu.items()):
        down = [str(link.peer) for link in of_gpu if link.up is False]
        rates = {link.gbytes_per_second for link in of_gpu}
        slowest = min((rate for rate in rates if rate is not None), default=fastest)
        if down:
            yield failed(f"gpu {gpu}", f"the links to {', '.join(down)} are down, of {most}")
        elif len(of_gpu) < most:
            yield failed(f"gpu {gpu}", f"has {len(of_gpu)} links, others of this node have {most}")
        elif slowest < fastest:
            yield failed(f"gpu {gpu}", f"links of {slowest:g} GB/s, others have {fastest:g} GB/s")
        elif any(link.up is None for link in of_gpu):
            yield unknown(f"gpu {gpu}", f"amd-smi did not say whether its {most} links are up")
        else:
            yield passed(f"gpu {gpu}", f"{most} links up, {fastest:g} GB/s each way")
