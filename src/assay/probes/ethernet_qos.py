"""Lossless Ethernet for RoCE: congestion notification and priority flow control."""

import re
from collections import defaultdict
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files, saved
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.network import EthernetQos
from assay.probes.pasted import clean

# Present with NVIDIA's own driver package (DOCA-OFED, MLNX_OFED); upstream kernels lack it.
ECN = files("/sys/class/net/*/ecn/{roce_np,roce_rp}/enable/*", name="sysfs-roce-ecn")
MLNX_QOS = saved(
    "mlnx_qos",
    looks_like=r"^[ \t]*DCBX mode: .*\n[ \t]*Priority trust state: .*$"
    r"|^[ \t]*PFC configuration:\s?\n.*\n.*$",
)

_PATH = re.compile(r"/sys/class/net/([^/]+)/ecn/(roce_np|roce_rp)/enable/([0-7])")


@probe("network.ethernet-qos", reads=[ECN, MLNX_QOS])
def qos(seen: Seen) -> Iterator[EthernetQos]:
    """Congestion notification by priority, and the priorities with flow control."""
    if seen.capture(MLNX_QOS) is not None:
        yield from _mlnx_qos(clean(seen.text(MLNX_QOS)))
        return
    found: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    for entry in seen.entries(ECN):
        path = _PATH.fullmatch(entry.path)
        if path is not None and entry.status == Status.ANSWERED:
            name, side, priority = path.groups()
            value = entry.data.decode("utf-8", "replace").strip()
            found[name][side].append((int(priority), value))
    for name, sides in sorted(found.items()):
        yield EthernetQos(
            name, ecn_notify=_on(sides.get("roce_np")), ecn_react=_on(sides.get("roce_rp"))
        )


def _on(values: list[tuple[int, str]] | None) -> tuple[int, ...] | None:
    if not values or any(value not in ("0", "1") for _, value in values):
        return None
    return tuple(sorted(priority for priority, value in values if value == "1"))


def _mlnx_qos(text: str) -> Iterator[EthernetQos]:
    trust = re.search(r"Priority trust state:\s*(\w+)", text)
    table = re.search(
        r"PFC configuration:\s?\n[ \t]*priority((?:\s+\d)+)\s?\n[ \t]*enabled((?:\s+[01])+)",
        text,
    )
    named = re.search(r"mlnx_qos\s+(?:\S+\s+)*?-i\s*(\S+)", text)
    if trust is None and table is None:
        raise Unread("mlnx_qos printed no setting")
    pfc = None
    if table is not None:
        pairs = zip(table.group(1).split(), table.group(2).split(), strict=False)
        pfc = tuple(int(priority) for priority, on in pairs if on == "1")
    yield EthernetQos(
        named.group(1) if named else "", pfc=pfc, trust=trust.group(1).lower() if trust else ""
    )
