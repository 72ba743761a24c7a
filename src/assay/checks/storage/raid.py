"""A degraded array works until the next disk fails."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.disks import RaidArray
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.block_devices import MDSTAT

WITHOUT_SPARES = frozenset({"raid0", "linear"})  # mdstat shows no [n/m] for these

STATES = frozenset({"active", "inactive", "broken"})  # words of the kernel's md driver


@check(
    "storage.raid",
    asks="Does every software RAID array have all of its members?",
    severity=Severity.HIGH,
    why="A missing member means no redundancy: the next failure loses the node or its scratch.",
    fix="Replace the disk, then mdadm ARRAY --remove and --add it; watch /proc/mdstat rebuild.",
    see=[
        "https://man7.org/linux/man-pages/man4/md.4.html",
        "https://www.kernel.org/doc/html/latest/admin-guide/md.html",
    ],
    reproduce="cat /proc/mdstat",
    plants=[
        plant(
            Edit(MDSTAT.source, path="/proc/mdstat", old="nvme8n1p2[0]", new="nvme8n1p2[0](F)"),
            Edit(MDSTAT.source, path="/proc/mdstat", old="[2/2] [UU]", new="[2/1] [_U]"),
            name="a failed member",
        ),
        plant(
            Edit(MDSTAT.source, path="/proc/mdstat", old="active raid1", new="inactive"),
            name="an array that did not start",
        ),
    ],
)
def raid(arrays: Sequence[RaidArray]) -> Iterator[Verdict]:
    """Count the members that work."""
    for array in arrays:
        name, what = array.name, array.level or "array"
        if array.state not in STATES:
            yield unknown(name, f"{what} is {array.state!r}, a state that is not listed")
        elif array.state != "active":
            yield failed(name, f"{what} is {array.state}, active is wanted")
        elif array.failed:
            yield failed(name, f"{what} has failed members: {', '.join(array.failed)}")
        elif array.wanted is not None and array.working is not None:
            said = f"{what} has {array.working} of {array.wanted} members"
            doing = f" ({array.activity})" if array.activity else ""
            short = array.working < array.wanted
            yield failed(name, said + doing) if short else passed(name, said + doing)
        elif array.level in WITHOUT_SPARES:
            yield passed(name, f"{what} is active with {len(array.members)} members")
        else:
            yield unknown(name, f"{what} does not say how many members it has")
