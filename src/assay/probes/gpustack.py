"""GPUStack's view of a node's accelerators: the same JSON for every maker."""

from collections.abc import Iterator
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.device import DeviceAffinity, PeerPath
from assay.probes.pasted import bdf, clean, count, documents, real, tried, was_cut, words

DETECT = saved(
    "gpustack-detect",
    looks_like=r'"manufacturer":\s*"\w+",\s*"(?:index|indexes)":[^"]*"name":[^\n]*\s*"uuid":\s*"'
    r'[^"]*",?\s*"driver_version":[^\n]*',
)
TOPOLOGY = saved(
    "gpustack-topology", looks_like=r'"manufacturer":\s*"\w+",\s*"devices_distances":\s*\[[\s\S]{9}'
)

_MIG = {"True": "enabled", "False": "disabled"}
# GPUStack's scale of distance.
_KINDS = {5: "link", 10: "pix", 20: "pxb", 30: "phb", 40: "node", 50: "sys"}


def _maps(documents_: list[Any]) -> Iterator[dict[str, Any]]:
    for document in documents_:
        for item in document if isinstance(document, list) else [document]:
            if isinstance(item, dict) and words(item.get("manufacturer")):
                yield item


@probe("gpustack.devices", reads=[DETECT])
def devices(seen: Seen) -> Iterator[Accelerator | DeviceAffinity]:
    """Accelerators that GPUStack detected, of any maker."""
    if tried(seen, DETECT) is None:
        return
    text = clean(seen.text(DETECT))
    found = 0
    for item in _maps(documents(text, "gpustack's detection")):
        index = count(item.get("index"))
        if index is not None:
            found += 1
            yield from _device(words(item["manufacturer"]).lower(), index, item)
    if not found:
        raise Unread("gpustack's detection lists no device")
    if was_cut(text):
        raise Unread("gpustack's detection was cut short by hand")


def _device(
    vendor: str, index: int, item: dict[str, Any]
) -> Iterator[Accelerator | DeviceAffinity]:
    more = item.get("appendix")
    more = more if isinstance(more, dict) else {}
    state = words(item.get("memory_status"))
    yield Accelerator(
        vendor=vendor,
        index=index,
        product=words(item.get("name")),
        uuid=words(item.get("uuid")),
        bdf=bdf(more.get("bdf")),
        driver=words(item.get("driver_version")),
        memory_mib=real(item.get("memory")),
        memory_used_mib=real(item.get("memory_used")),
        utilization_percent=real(item.get("cores_utilization")),
        temperature_c=real(item.get("temperature")),
        power_w=real(item.get("power_used")),
        power_limit_w=real(item.get("power")),
        partition_mode=_MIG.get(str(more.get("mig")), ""),
        fault="" if state in ("", "healthy") else f"gpustack says memory is {state}",
    )
    node = count(more.get("numa"))
    if node is not None:
        yield DeviceAffinity(vendor, index, node)


@probe("gpustack.topology", reads=[TOPOLOGY])
def topology(seen: Seen) -> Iterator[DeviceAffinity | PeerPath]:
    """How far accelerators are from each other and from CPUs, as GPUStack sees it."""
    if tried(seen, TOPOLOGY) is None:
        return
    found = 0
    for item in _maps(documents(clean(seen.text(TOPOLOGY)), "gpustack's topology")):
        vendor = words(item["manufacturer"]).lower()
        for source, row in enumerate(_list(item.get("devices_distances"))):
            for target, distance in enumerate(_list(row)):
                weight = count(distance)
                if source != target and weight is not None:
                    found += 1
                    yield PeerPath(vendor, source, target, _KINDS.get(weight, ""), None, weight)
        cpus = _list(item.get("devices_cpu_affinities"))
        for index, node in enumerate(_list(item.get("devices_numa_affinities"))):
            found += 1
            near = words(cpus[index]) if index < len(cpus) else ""
            yield DeviceAffinity(vendor, index, count(node), near)
    if not found:
        raise Unread("gpustack's topology lists no device")


def _list(found: object) -> list[Any]:
    return found if isinstance(found, list) else []
