"""Memory: how much, how it is paged, and whether it is failing."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.memory import HugePagePool, Memory, MemoryErrors, TransparentHugePages
from assay.probes.kernel_values import by_folder, chosen, plain_lines, whole

MEMINFO = files("/proc/meminfo", looks_like=r"^MemTotal:\s+\d+ kB\s*\nMemFree:[^\n]*$")
THP_ROOT = "/sys/kernel/mm/transparent_hugepage/"
THP = files(THP_ROOT + "{enabled,defrag}", name="transparent-hugepages")
POOL_ROOT = "/sys/kernel/mm/hugepages/"
POOLS = files(POOL_ROOT + "hugepages-*/{nr_hugepages,free_hugepages}", name="hugepages")
EDAC_ROOT = "/sys/devices/system/edac/mc/"
EDAC = files(EDAC_ROOT + "mc*/{mc_name,ce_count,ue_count}", name="edac")

KIB = 1024
_LINE = re.compile(r"\s*([A-Za-z_]+(?:\([a-z_]+\))?):\s+(\d{1,15})(?: (kB))?\s*")


@probe("system.memory", reads=[MEMINFO])
def memory(seen: Seen) -> Iterator[Memory]:
    """How much memory and swap there is."""
    text = seen.file(MEMINFO)
    if text is None:
        return
    found = (_LINE.fullmatch(line) for line in plain_lines(text))
    said = {m.group(1): int(m.group(2)) * (KIB if m.group(3) else 1) for m in found if m}
    if not said.get("MemTotal"):
        raise Unread("/proc/meminfo has no MemTotal")
    yield Memory(
        total=said["MemTotal"],
        swap_total=said.get("SwapTotal"),
        poisoned=said.get("HardwareCorrupted"),
        huge_page_size=said.get("Hugepagesize"),
        huge_pages=said.get("HugePages_Total"),
    )


@probe("system.transparent-hugepages", reads=[THP])
def transparent_huge_pages(seen: Seen) -> Iterator[TransparentHugePages]:
    """Whether the kernel uses huge pages by itself."""
    words = {path.removeprefix(THP_ROOT): chosen(text) for path, text in seen.files(THP)}
    if not words:
        return
    if not words.get("enabled"):
        raise Unread(f"{THP_ROOT}enabled shows no chosen word")
    yield TransparentHugePages(words["enabled"], words.get("defrag", ""))


@probe("system.hugepages", reads=[POOLS])
def huge_page_pools(seen: Seen) -> Iterator[HugePagePool]:
    """Huge pages that are set aside, by size."""
    for folder, values in sorted(by_folder(seen.files(POOLS), POOL_ROOT).items()):
        size = whole(folder.removeprefix("hugepages-").removesuffix("kB"))
        pages = whole(values.get("nr_hugepages"))
        if size is None or pages is None:
            raise Unread(f"{POOL_ROOT}{folder} does not say how many pages it has")
        yield HugePagePool(size * KIB, pages, whole(values.get("free_hugepages")))


@probe("system.edac", reads=[EDAC])
def memory_errors(seen: Seen) -> Iterator[MemoryErrors]:
    """Memory errors counted by each memory controller."""
    for controller, values in sorted(by_folder(seen.files(EDAC), EDAC_ROOT).items()):
        yield MemoryErrors(
            controller,
            values.get("mc_name", ""),
            whole(values.get("ce_count")),
            whole(values.get("ue_count")),
        )
