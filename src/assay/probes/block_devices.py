"""Disks, the arrays made of them, and whether they are failing."""

import re
from collections.abc import Iterator

from assay.kit.json import mapping, value
from assay.kit.probe import probe
from assay.kit.reading import files, saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.disks import NvmeController, RaidArray
from assay.model.facts.storage import BlockDevice
from assay.probes.filesystems import size_in_bytes
from assay.probes.kernel_values import by_folder, plain_lines, whole

ROOT = "/sys/block/"
BLOCK = files(ROOT + "*/{size,ro,queue/rotational,device/model}", name="block-devices")
LSBLK = saved(
    "lsblk-json",
    looks_like=r"\"blockdevices\"\s*:\s*\[\s*\{\s*\"[a-z:-]+\"\s*:\s*\"[^\"]*\"",
)
NVME_ROOT = "/sys/class/nvme/"
NVME = files(NVME_ROOT + "nvme*/{state,model,firmware_rev,transport}", name="nvme-controllers")
MDSTAT = files("/proc/mdstat", looks_like=r"^Personalities :[^\n]*$")

SECTOR = 512  # /sys/block/*/size counts these, whatever the disk's own sectors are
_KINDS = {"loop": "loop", "md": "raid", "dm-": "dm", "sr": "rom", "zram": "zram", "ram": "ram",
          "nbd": "nbd", "rbd": "rbd", "drbd": "drbd"}  # fmt: skip
_ARRAY = re.compile(
    r"(?P<name>md\S+) : (?P<state>[a-z_-]+)(?P<flags>(?: \([a-z-]+\))*) ?"
    r"(?:(?P<level>raid\d+|linear|multipath|faulty)\b ?)?(?P<members>.*)"
)
_MEMBER = re.compile(r"(\S+?)\[\d+\]((?:\([A-Z]\))*)")
_COUNT = re.compile(r"\[(\d{1,4})/(\d{1,4})\]")
_ACTIVITY = re.compile(r"\b(recovery|resync|reshape|check|repair)\s*=")


@probe("storage.block-devices", reads=[BLOCK, LSBLK])
def block_devices(seen: Seen) -> Iterator[BlockDevice]:
    """Disks and what is made of them."""
    if seen.capture(LSBLK) is not None:
        yield from _from_lsblk(seen.text(LSBLK))
        return
    for name, values in sorted(by_folder(seen.files(BLOCK), ROOT).items()):
        sectors = whole(values.get("size"))
        yield BlockDevice(
            name=name,
            type=next((kind for start, kind in _KINDS.items() if name.startswith(start)), "disk"),
            size=sectors * SECTOR if sectors is not None else None,
            model=values.get("device/model", ""),
            rotational=_yes(values.get("queue/rotational")),
            read_only=_yes(values.get("ro")),
        )


def _from_lsblk(text: str) -> Iterator[BlockDevice]:
    table = mapping(value(text, "`lsblk --json`"), "`lsblk --json`")
    listed = table.get("blockdevices")
    waiting = list(listed) if isinstance(listed, list) else []
    if not waiting:
        raise Unread("`lsblk --json` shows no block devices")
    while waiting:
        row = waiting.pop(0)
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            continue
        points = row.get("mountpoints", row.get("mountpoint"))
        points = points if isinstance(points, list) else [points]
        yield BlockDevice(
            name=row["name"].removeprefix("/dev/"),
            type=str(row.get("type") or ""),
            size=size_in_bytes(row.get("size")),
            model=str(row.get("model") or "").strip(),
            rotational=_yes(row.get("rota")),
            fstype=str(row.get("fstype") or ""),
            mount_points=tuple(p for p in points if isinstance(p, str)),
            read_only=_yes(row.get("ro")),
        )
        children = row.get("children")
        waiting[:0] = children if isinstance(children, list) else []


def _yes(found: object) -> bool | None:
    """0 and 1 as sysfs and old lsblk print them, true and false as new lsblk does."""
    if isinstance(found, bool):
        return found
    return {"0": False, "1": True}.get(str(found).strip())


@probe("storage.nvme-controllers", reads=[NVME])
def nvme_controllers(seen: Seen) -> Iterator[NvmeController]:
    """NVMe controllers and the driver's word for their state."""
    for name, values in sorted(by_folder(seen.files(NVME), NVME_ROOT).items()):
        yield NvmeController(
            name=name,
            state=values.get("state", ""),
            model=values.get("model", ""),
            firmware=values.get("firmware_rev", ""),
            transport=values.get("transport", ""),
        )


@probe("storage.raid", reads=[MDSTAT])
def raid_arrays(seen: Seen) -> Iterator[RaidArray]:
    """Software RAID arrays, their members, and which of those are missing."""
    text = seen.file(MDSTAT)
    if text is None:
        return
    lines = plain_lines(text)
    if not any(line.startswith("Personalities") for line in lines):
        raise Unread("/proc/mdstat does not begin with its personalities")
    odd: list[str] = []
    for at, line in enumerate(lines):
        if found := _ARRAY.fullmatch(line):
            below = "\n".join(lines[at + 1 : at + 5]).split("\nmd")[0].split("\n\n")[0]
            yield _array(found, below)
        elif line.startswith("md") and " : " in line:
            odd.append(line)
    if odd:
        raise Unread(f"/proc/mdstat has a line that makes no sense: {odd[0][:80]!r}")


def _array(found: re.Match[str], below: str) -> RaidArray:
    members = _MEMBER.findall(found["members"])
    count, activity = _COUNT.search(below), _ACTIVITY.search(below)
    return RaidArray(
        name=found["name"],
        state=found["state"],
        level=found["level"] or "",
        members=tuple(name for name, _ in members),
        failed=tuple(name for name, marks in members if "(F)" in marks),
        wanted=int(count.group(1)) if count else None,
        working=int(count.group(2)) if count else None,
        activity=activity.group(1) if activity else "",
    )
