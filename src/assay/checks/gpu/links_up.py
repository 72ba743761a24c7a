"""A scale-up link that is down takes its share of every collective with it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import answering, part_of
from assay.kit.accelerator import Part
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator, ScaleUpLink
from assay.model.facts.nvidia import NvlinkState
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.amd_devices import XGMI
from assay.probes.nvidia_nvlink import STATUS

NAMES = {"nvidia": "NVLinks", "amd": "xGMI links"}
SLOWER = 0.9  # of the part's rate: 26.562 GB/s and 25 GB/s are two names of one rate


@check(
    "gpu.links-up",
    asks="Are all scale-up links (NVLink, xGMI) of every accelerator up, at their full rate?",
    severity=Severity.HIGH,
    why="With a link down, or slow, every collective of the node runs at the pace of that GPU; "
    "with all of them down traffic falls back to PCIe, at a tenth of the speed.",
    fix="Check the fabric service and the kernel log (Xid 74), reset all GPUs of the node "
    "together; if the link stays down, replace the board or baseboard.",
    see=["https://docs.nvidia.com/deploy/nvidia-smi/index.html",
         "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html",
         "https://rocm.docs.amd.com/projects/amdsmi/en/latest/how-to/amdsmi-cli-tool.html"],
    reproduce="nvidia-smi nvlink -s || amd-smi xgmi",
    plants=[
        plant(Edit(STATUS.source, old="Link 4: 26.562 GB/s", new="Link 4: <inactive>"),
              name="one link of one GPU"),
        plant(Edit(STATUS.source, old="26.562 GB/s", new="<inactive>", count=0), name="all links"),
        plant(Edit(STATUS.source, old="Link 4: 26.562 GB/s", new="Link 4: 13.281 GB/s"),
              name="a slow link"),
        plant(Edit(XGMI.source, old='"U",\n                "SELF"',
                   new='"D",\n                "SELF"'), host="mi300x", name="an xGMI link"),
        plant(Edit(XGMI.source, old='"value": 512,', new='"value": 256,'), host="mi300x",
              name="slow xGMI links"),
    ],
)  # fmt: skip
def links_up(
    links: Sequence[ScaleUpLink],
    devices: Sequence[Accelerator],
    states: Sequence[NvlinkState] | None,
) -> Iterator[Verdict]:
    """Links by accelerator, against the part and against its neighbours."""
    by_device: dict[tuple[str, int], list[ScaleUpLink]] = defaultdict(list)
    for link in links:
        by_device[link.vendor, link.index].append(link)
    notes = {("nvidia", state.index): state for state in states or ()}
    for vendor in sorted({device.vendor for device in devices}):
        mine = {d.index: d for d in answering(devices) if d.vendor == vendor}
        up = {n: sum(link.up is True for link in by_device[vendor, n]) for n in mine}
        most = max(up.values(), default=0)
        rates = [k.gbytes_per_second for n in mine for k in by_device[vendor, n]]
        fastest = max((rate for rate in rates if rate), default=0.0)
        for n, device in sorted(mine.items()):
            part, found = part_of(device), by_device[vendor, n]
            if found:
                whole = part is not None and len(mine) >= max(part.per_node, default=0)
                full = (part.link_gbytes_per_second if part else None) or fastest
                yield from _judge(device, part, found, most, full, whole and len(mine) > 1)
            elif state := notes.get((vendor, n)):
                yield from _silent(device, part, state, len(mine))
            elif part is not None and part.links and len(mine) > 1:
                yield unknown(device.subject, f"nothing tells of its {part.links} links")


def _judge(
    device: Accelerator,
    part: Part | None,
    links: list[ScaleUpLink],
    most: int,
    full: float,
    whole: bool,
) -> Iterator[Verdict]:
    """*most* links are up at a neighbour, each of *full* GB/s. *whole*: all devices are here."""
    wanted = part.links if part else None
    named = NAMES.get(device.vendor, "links")
    up = sum(link.up is True for link in links)
    down = [str(link.link) for link in links if link.up is False]
    of = max(wanted or 0, len(links), most)
    seen = f"{up} of {of} {named} are up" + (f", down: {', '.join(down)}" if down else "")
    if any(link.up is None for link in links) and not down:
        yield unknown(device.subject, f"the tool does not say whether all {of} {named} are up")
    elif up < most and (up or wanted):
        yield failed(device.subject, f"{seen}; a neighbour has {most} up")
    elif wanted and up < wanted and whole:
        yield failed(device.subject, seen)
    elif wanted and up < wanted:
        why = "links to devices that this node was not given are down by design"
        yield not_applicable(device.subject, f"{seen}; {why}")
    elif up == 0:
        yield not_applicable(device.subject, f"{named} need a bridge, and none is fitted")
    elif slow := _slow(full, links):
        yield failed(device.subject, f"{seen}, but {slow}")
    else:
        yield passed(device.subject, seen)


def _slow(full: float, links: Sequence[ScaleUpLink]) -> str:
    """Which links run below the rate of the part, or of the fastest of the node."""
    rates = {link.link: link.gbytes_per_second for link in links if link.gbytes_per_second}
    slow = [f"{link} at {rate:g}" for link, rate in rates.items() if rate < SLOWER * full]
    return f"link {', '.join(slow)} GB/s of {full:g}" if slow else ""


def _silent(
    device: Accelerator, part: Part | None, state: NvlinkState, count: int
) -> Iterator[Verdict]:
    """The tool said a sentence in place of links."""
    wanted = part.links if part else None
    said = state.note or "no link is listed"
    if not wanted or count < 2:
        return
    if "mig mode" in said.lower():
        yield not_applicable(device.subject, said)
    elif state.supported is False or "inactive" in said.lower():
        yield failed(device.subject, f"none of its {wanted} NVLinks is up: {said}")
    else:
        yield unknown(device.subject, f"it should have {wanted} NVLinks: {said}")
