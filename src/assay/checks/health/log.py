"""How every check of the kernel log turns events into verdicts."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from assay.kit.plant import Edit, Plant, plant
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.kernel_log import RING

SEE_XID = "https://docs.nvidia.com/deploy/xid-errors/index.html"
NVIDIA, AMD, MELLANOX = "10de", "1002", "15b3"  # PCI vendors
GRAVE = ("error", "critical")


def judged(
    events: Sequence[KernelEvent],
    log: Sequence[KernelLog],
    what: str,
    *,
    mild: Severity = Severity.LOW,
    present: bool = True,
) -> Iterator[Verdict]:
    """One verdict for every device with events; a pass only for a log that was read.

    Warnings fail with the severity *mild*. What is only information passes. Lines that a drill
    wrote do not count. Several codes on one device are one incident, hence one verdict. Where the
    hardware in question is not *present*, silence is no pass: the question does not arise.
    """
    by_device: dict[str, list[KernelEvent]] = defaultdict(list)
    for event in events:
        if not event.drill and event.severity != "info":
            by_device[event.device or HOST].append(event)
    for device, found in sorted(by_device.items()):
        said = "; ".join(_sentence(event) for event in found[:4])
        said += f"; and {len(found) - 4} more kinds" if len(found) > 4 else ""
        severities = {event.severity for event in found}
        if severities.intersection(GRAVE):
            yield failed(device, said)
        elif severities == {"warning"}:
            yield failed(device, said, severity=mild)
        else:
            yield unknown(device, said)
    if present and not by_device:
        yield _quiet(log, what)


def _quiet(log: Sequence[KernelLog], what: str) -> Verdict:
    lines = sum(part.lines for part in log)
    if not lines:
        return unknown(HOST, "the kernel log is empty: it proves nothing")
    since = next((part.since for part in log if part.since), "")
    reach = f" since {since}" if since else ""
    return passed(HOST, f"no {what} in {lines} lines of {log[0].source}{reach}")


def _sentence(event: KernelEvent) -> str:
    name = event.kind.upper() if event.kind in ("xid", "sxid") else event.kind.replace("_", " ")
    name = "Xid" if event.kind == "xid" else "SXid" if event.kind == "sxid" else name
    code = f" {event.code}" if event.code is not None else ""
    times = f" x{event.count}" if event.count > 1 else ""
    last = f", last {event.when}" if event.when else ""
    action = f"; do: {event.action.replace('_', ' ')}" if event.action != "none" else ""
    meaning = event.meaning.rstrip(".")
    return f"{name}{code}{times} ({meaning}{last}{action}; policy: {event.policy})"


def present(devices: Sequence[PciDevice] | None, *vendors: str) -> bool:
    """True unless the PCI devices were read and none of them is of one of *vendors*."""
    return devices is None or any(device.vendor_id in vendors for device in devices)


def line(text: str, *, host: str = "hgx-h100") -> Plant:
    """A plant: one more line at the end of the ring buffer of a host."""
    last = "[ 1000.000000] assay: end of the reference log\n"
    return plant(Edit(RING.source, last + f"[90001.123456] {text}\n", old=last), host=host)
