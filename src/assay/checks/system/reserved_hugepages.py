"""Huge pages that are set aside and used by nobody are memory lost."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.memory import HugePagePool, Memory
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.memory import POOL_ROOT, POOLS

GIB = 1 << 30
MOST = 0.05  # of memory: enough for a DPDK or SPDK process


@check(
    "system.reserved-hugepages",
    asks="Is no large part of memory set aside as huge pages that nobody uses?",
    severity=Severity.LOW,
    why="Reserved huge pages are gone for page cache and jobs: a node with half of its memory.",
    fix="Remove hugepages= from the boot options and vm.nr_hugepages from /etc/sysctl.d, or give "
    "the pages to the program that they are for.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/mm/hugetlbpage.html"],
    reproduce="grep . /sys/kernel/mm/hugepages/*/{nr,free}_hugepages",
    plants=[
        plant(
            Edit(POOLS.source, path=POOL_ROOT + "hugepages-1048576kB/nr_hugepages", new="512\n"),
            Edit(POOLS.source, path=POOL_ROOT + "hugepages-1048576kB/free_hugepages", new="512\n"),
        ),
    ],
)
def reserved_hugepages(
    pools: Sequence[HugePagePool], memory: Sequence[Memory]
) -> Iterator[Verdict]:
    """Compare unused huge pages with memory."""
    total = max((m.total for m in memory), default=0)
    if not pools or not total:
        return
    if any(pool.pages and pool.free is None for pool in pools):
        yield unknown(HOST, "how many huge pages are free was not read")
        return
    idle = sum(pool.page_size * (pool.free or 0) for pool in pools)
    said = f"{idle / GIB:.3g} of {total / GIB:.0f} GiB are unused huge pages"
    if idle > MOST * total:
        yield failed(HOST, f"{said}, at most 5 % is wanted")
    else:
        yield passed(HOST, said)
