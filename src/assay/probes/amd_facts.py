"""What one GPU's record of amd-smi means, whichever subcommands it was put together from."""

from collections.abc import Iterable, Iterator
from typing import Any

from assay.model.facts.accelerator import Accelerator
from assay.model.facts.device import (
    BadPages,
    DeviceAffinity,
    DeviceProcess,
    GpuPartition,
    PeerPath,
    RasBlock,
)
from assay.model.facts.software import Software
from assay.probes.amd_links import affinity, peers
from assay.probes.amd_records import AMD, Record, first, maps, part
from assay.probes.pasted import bdf, count, mib, real, words

GENERATIONS = {2.5: 1, 5: 2, 8: 3, 16: 4, 32: 5, 64: 6}  # GT/s of PCI Express 1 to 6
# On these the host's machine checks watch the memory, and the driver manages only three blocks.
_BY_THE_HOST = {"gfx", "sdma", "mmhub"}

Fact = (
    Accelerator | RasBlock | BadPages | PeerPath | DeviceAffinity | DeviceProcess | Software
    | GpuPartition
)  # fmt: skip


def accelerator(record: Record) -> Accelerator:
    """The GPU itself."""
    asic, board, bus = part(record, "asic"), part(record, "board"), part(record, "bus")
    driver, vbios = part(record, "driver"), part(record, "ifwi", "vbios")
    pcie, heat = part(record, "pcie"), part(record, "temperature")
    usage, power = part(record, "usage"), part(record, "power")
    memory, ecc = part(record, "mem_usage"), part(record, "ecc")
    limit = part(record, "limit")
    cap = part(limit, "ppt0") or limit
    hottest = real(first(heat, "hotspot", "hotspot_temperature", "junction", "edge"))
    return Accelerator(
        vendor=AMD,
        index=record["gpu"],
        product=words(first(asic, "market_name") or first(board, "product_name")),
        uuid=words(record.get("uuid")),
        bdf=bdf(record.get("bdf")) or bdf(bus.get("bdf")),
        driver=words(first(driver, "version", "driver_version")),
        firmware=words(first(vbios, "version", "part_number")),
        memory_mib=_first_mib(part(record, "vram").get("size"), memory.get("total_vram")),
        memory_used_mib=mib(memory.get("used_vram")),
        utilization_percent=_percent(usage.get("gfx_activity")),
        temperature_c=hottest,
        memory_temperature_c=real(first(heat, "mem", "mem_temperature", "vram")),
        power_w=real(first(power, "socket_power", "current_socket_power", "average_socket_power",
                           "current_power")),
        power_limit_w=real(first(cap, "socket_power_limit", "socket_power", "current_power",
                                 "power_cap")),
        pcie_generation=_generation(first(pcie, "speed", "current_speed")),
        pcie_generation_max=_generation(bus.get("max_pcie_speed")) or _gen(bus),
        pcie_width=count(first(pcie, "width", "current_lanes", "current_width")),
        pcie_width_max=count(first(bus, "max_pcie_width", "max_pcie_lanes")),
        pcie_replays=count(pcie.get("replay_count")),
        ecc_enabled=_ecc_enabled(_blocks(record)),
        ecc_corrected_volatile=count(first(ecc, "total_correctable_count", "total_correctable")),
        ecc_uncorrected_volatile=count(
            first(ecc, "total_uncorrectable_count", "total_uncorrectable")
        ),
        retired_pages=_pages(record, "retired"),
        retire_pending=_any(_pages(record, "pending")),
        throttle=_throttle(record, power),
        partition_mode=_mode(record),
        processes=_how_many(record),
    )  # fmt: skip


def everything(records: Iterable[Record]) -> Iterator[Fact]:
    """All facts in *records*, GPU by GPU."""
    drivers: set[str] = set()
    for record in records:
        gpu = accelerator(record)
        yield gpu
        if gpu.driver and gpu.driver not in drivers:
            drivers.add(gpu.driver)
            yield Software("amdgpu", gpu.driver, "module")
        if (cut := partition(record)) is not None:
            yield cut
        yield from _ras(record, gpu)
        yield from _bad_pages(record, gpu)
        yield from peers(record)
        yield from affinity(record)
        yield from _processes(record)


def _first_mib(*values: object) -> float | None:
    return next((size for size in map(mib, values) if size is not None), None)


def _percent(value: object) -> float | None:
    found = real(value)
    return found if found is not None and 0 <= found <= 100 else None


def _generation(speed: object) -> int | None:
    return GENERATIONS.get(real(speed) or 0)


def _gen(bus: Record) -> int | None:
    """``Gen 5`` in the slot's description."""
    return count(words(bus.get("pcie_interface_version")).lower().removeprefix("gen").strip())


def _blocks(record: Record) -> dict[str, str]:
    """RAS block and its state; newer versions list ``{"block": ..., "status": ...}``."""
    found = part(record, "ras").get("ecc_block_state")
    if isinstance(found, list):
        pairs = [(words(b.get("block")), words(b.get("status"))) for b in found
                 if isinstance(b, dict)]  # fmt: skip
    else:
        pairs = [(str(k), words(v)) for k, v in found.items()] if isinstance(found, dict) else []
    return {name.lower(): state.upper() for name, state in pairs if name and state}


def _ecc_enabled(blocks: dict[str, str]) -> bool | None:
    state = blocks.get("umc")
    on = {name for name, word in blocks.items() if word == "ENABLED"}
    if state == "ENABLED":
        return True
    return False if state == "DISABLED" and on != _BY_THE_HOST else None


def _pages(record: Record, which: str) -> int | None:
    found = record.get(which)
    if isinstance(found, list):
        return len(found)
    text = str(found).strip().lower() if isinstance(found, str) else ""
    if text.startswith("no bad pages"):
        return 0
    # In text the pages are nested under the word: one PAGE_ADDRESS each.
    inner = part(record, which).get("page_address")
    return len(inner) if isinstance(inner, list) else 1 if inner else None


def _any(number: int | None) -> bool | None:
    return None if number is None else number > 0


def _throttle(record: Record, power: Record) -> tuple[str, ...] | None:
    """Violations that are active now; the older status word where there is nothing better."""
    found = part(record, "throttle", "violation")
    names = []
    known = False
    for key, value in found.items():
        word = words(value).upper()
        if key.endswith(("_violation_status", "_status")) and word in ("ACTIVE", "NOT ACTIVE"):
            known = True
            if word == "ACTIVE":
                names.append(key.removesuffix("_status").removesuffix("_violation"))
    if known:
        return tuple(names)
    status = words(power.get("throttle_status")).upper()
    return {"UNTHROTTLED": (), "THROTTLED": ("throttled",)}.get(status)


def partition(record: Record) -> GpuPartition | None:
    """How compute and memory of the GPU are cut up."""
    found = part(record, "partition", "current_partition")
    compute = words(first(found, "accelerator_partition", "compute_partition", "accelerator_type"))
    memory = words(first(found, "memory_partition", "memory"))
    return GpuPartition(record["gpu"], compute, memory) if compute or memory else None


def _mode(record: Record) -> str:
    """``SPX/NPS1``."""
    found = partition(record)
    return "/".join(word for word in (found.compute, found.memory) if word) if found else ""


def _ras(record: Record, gpu: Accelerator) -> Iterator[RasBlock]:
    states = _blocks(record)
    counts = part(record, "ecc_blocks", "ecc_block")
    for name in dict.fromkeys([*states, *(key.lower() for key in counts)]):
        seen = part(counts, name)
        yield RasBlock(
            AMD,
            gpu.index,
            gpu.bdf,
            name.upper(),
            {"ENABLED": True, "DISABLED": False}.get(states.get(name, "")),
            count(first(seen, "correctable_count", "correctable")),
            count(first(seen, "uncorrectable_count", "uncorrectable")),
            count(first(seen, "deferred_count", "deferred")),
        )


def _bad_pages(record: Record, gpu: Accelerator) -> Iterator[BadPages]:
    retired, pending = _pages(record, "retired"), _pages(record, "pending")
    stuck = _pages(record, "un_res")
    if (retired, pending, stuck) != (None, None, None):
        limit = count(part(record, "ras").get("bad_page_threshold"))
        yield BadPages(AMD, gpu.index, gpu.bdf, retired, pending, stuck, limit)


def _entries(record: Record) -> list[Record]:
    """Processes: ``process_list`` in JSON, repeated ``PROCESS_INFO`` in text."""
    listed = maps(record.get("process_list"))
    found: list[Any] = [item.get("process_info", item) for item in listed]
    if not listed:
        info = record.get("process_info")
        found = info if isinstance(info, list) else [info]
    return [part({"p": item}, "p") for item in found if isinstance(item, dict)]


def _how_many(record: Record) -> int | None:
    none = "no running processes"
    told = record.get("process_list", record.get("process_info"))
    if told is None:
        return None
    return len(_entries(record)) or (0 if none in str(told).lower() or told == [] else None)


def _processes(record: Record) -> Iterator[DeviceProcess]:
    for entry in _entries(record):
        pid = count(entry.get("pid"))
        if pid is not None:
            used = part(entry, "memory_usage").get("vram_mem", entry.get("mem_usage"))
            yield DeviceProcess(AMD, record["gpu"], pid, words(entry.get("name")), _bytes(used))


def _bytes(value: object) -> float | None:
    """Process memory is in bytes where JSON gives a bare number."""
    size = mib(value)
    bare = isinstance(value, int | float) or (isinstance(value, str) and value.strip().isdigit())
    return size / 2**20 if bare and size is not None else size
