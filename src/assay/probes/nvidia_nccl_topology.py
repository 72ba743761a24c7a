"""The topology that NCCL dumps (NCCL_TOPO_DUMP_FILE) or is given (NCCL_TOPO_FILE)."""

from collections.abc import Iterator
from xml.etree import ElementTree

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.kit.xml import document
from assay.model.facts.nvidia import TopologyNode
from assay.probes.nvidia_words import cut_out
from assay.probes.pasted import bdf, clean, count, real, tried

DUMP = saved(
    "nccl-topology",
    looks_like=r"<system version=\"\d+\"[^>]*>\s*<cpu [^\n]*(?:\n[^\n]*<pci [^\n]*)?"
    r"|<graphs version=\"\d+\"[^\n]*",
)

# PCI classes as NCCL writes them: display and 3D controllers are GPUs.
_KINDS = (("0x03", "gpu"), ("0x12", "gpu"), ("0x02", "net"), ("0x0680", "nvswitch"),
          ("0x0604", "switch"))  # fmt: skip
DEPTH = 64  # PCI trees are a few levels deep


@probe("nvidia.nccl-topology", reads=[DUMP])
def topology(seen: Seen) -> Iterator[TopologyNode]:
    """PCI devices, adapters and NVLinks as NCCL sees them."""
    if tried(seen, DUMP) is None:
        return
    text = clean(seen.text(DUMP))
    found = 0
    for part in cut_out(text, "<system ", "</system>")[0]:
        for cpu in document(part, "the NCCL topology").findall("cpu"):
            for node in _below(cpu, count(cpu.get("numaid")), "", 0):
                found += 1
                yield node
    if not found:
        raise Unread(
            "the NCCL topology is cut short" if "<system" in text else "no NCCL topology is there"
        )


def _below(
    parent: ElementTree.Element, numa: int | None, upstream: str, depth: int
) -> Iterator[TopologyNode]:
    if depth > DEPTH:
        raise Unread("the NCCL topology is nested too deeply")
    for pci in parent.findall("pci"):
        address = bdf(pci.get("busid"))
        yield _node(pci, address, None if numa is None or numa < 0 else numa, upstream)
        yield from _below(pci, numa, address, depth + 1)


def _node(pci: ElementTree.Element, address: str, numa: int | None, upstream: str) -> TopologyNode:
    kind = (pci.get("class") or "").lower()
    gpu, net = pci.find("gpu"), pci.find("nic/net")
    links = gpu.findall("nvlink") if gpu is not None else []
    about = gpu if gpu is not None else net
    return TopologyNode(
        bdf=address,
        kind=next((name for start, name in _KINDS if kind.startswith(start)), "other"),
        numa_node=numa,
        upstream=upstream,
        gts=_from_zero(pci.get("link_speed")),
        width=count(pci.get("link_width")),
        name=(net.get("name") or "") if net is not None else "",
        device=count(about.get("dev")) if about is not None else None,
        rank=count(gpu.get("rank")) if gpu is not None else None,
        net_mbits=count(net.get("speed")) if net is not None else None,
        gpu_direct={"1": True, "0": False}.get(
            (about.get("gdr") or "") if about is not None else ""
        ),
        nvlinks=tuple(
            (bdf(link.get("target")), number)
            for link in links
            if (number := count(link.get("count"))) is not None
        ),
    )


def _from_zero(word: str | None) -> float | None:
    found = real(word)
    return found if found is not None and found >= 0 else None
