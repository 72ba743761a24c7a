"""xGMI links, paths between GPUs and their nearest CPUs in the records of amd-smi."""

from collections.abc import Iterator

from assay.model.facts.accelerator import ScaleUpLink
from assay.model.facts.device import DeviceAffinity, PeerPath
from assay.probes.amd_records import AMD, Record, first, maps, part
from assay.probes.pasted import count, real, words


def peers(record: Record) -> Iterator[PeerPath]:
    """``amd-smi topology``: by name (``gpu_1``), or since ROCm 6.4 a list of links."""
    tables = {
        what: part(record, what)
        for what in ("link_accessibility", "weight", "hops", "link_type", "numa_bandwidth")
    }
    for name in dict.fromkeys(name for table in tables.values() for name in table):
        target = count(name.removeprefix("gpu_"))
        if name.startswith("gpu_") and target is not None and target != record["gpu"]:
            yield PeerPath(
                AMD,
                record["gpu"],
                target,
                words(tables["link_type"].get(name)).lower(),
                count(tables["hops"].get(name)),
                count(tables["weight"].get(name)),
                _access(tables["link_accessibility"].get(name)),
            )
    for link in maps(record.get("links")):
        target = count(link.get("gpu"))
        if target is not None and target != record["gpu"]:
            yield PeerPath(
                AMD,
                record["gpu"],
                target,
                words(link.get("link_type")).lower(),
                count(first(link, "num_hops", "hops")),
                count(link.get("weight")),
                _access(link.get("link_status")),
            )


def _access(word: object) -> bool | None:
    return {"ENABLED": True, "DISABLED": False}.get(words(word).upper())


def links(record: Record) -> Iterator[ScaleUpLink]:
    """``amd-smi xgmi``: one link to each peer; a rate of 512 Gb/s is 64 GB/s.

    The state by peer has a SELF among its words; a list without it is by port, and a disabled
    port is one that leads nowhere.
    """
    found = part(record, "link_metrics")
    if words(found.get("link_type")).upper() == "PCIE":
        return
    rate = real(found.get("max_bandwidth"))
    gbytes = rate / 8 if rate is not None else None
    listed = record.get("link_status")
    states = [words(s).upper() for s in listed] if isinstance(listed, list) else []
    if states and "SELF" not in states:
        for port, word in enumerate(states):
            if word and word != "X":
                yield ScaleUpLink(AMD, record["gpu"], port, link_up(word), gbytes)
        return
    traffic = {count(link.get("gpu")): words(link.get("read")) for link in maps(found.get("links"))}
    for peer in sorted({n for n in traffic if n is not None} | set(range(len(states)))):
        word = states[peer] if peer < len(states) else ""
        if peer != record["gpu"] and word != "SELF" and (word or traffic.get(peer)):
            yield ScaleUpLink(AMD, record["gpu"], peer, link_up(word), gbytes)


def link_up(word: str) -> bool | None:
    """``U`` is up, ``D`` down, ``X`` disabled; several lanes of a peer are joined by slashes."""
    states = {{"U": True, "D": False, "X": False}.get(w) for w in word.upper().split("/")}
    return None if None in states else all(states)


def affinity(record: Record) -> Iterator[DeviceAffinity]:
    """The NUMA node that the GPU hangs on."""
    numa = part(record, "numa")
    node = count(numa.get("node"))
    if node is not None:
        cpus = numa.get("cpu_affinity")
        yield DeviceAffinity(AMD, record["gpu"], node, words(cpus))
