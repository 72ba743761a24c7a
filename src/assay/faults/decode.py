"""Kernel log lines to events: what broke, where, how bad, what to do, by whose policy.

Tolerant of every prefix (dmesg, syslog, journal, none) and of lines that were cut. A line that
tells of no fault gives nothing; an Xid that nobody knows is kept.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.faults import catalogue
from assay.faults.catalogue import NvLink5Row, SXid

LONGEST = 4096  # characters of a line that are looked at
MARKER = re.compile(r"name=assay-drill-[\w-]+")  # our own drills; reports subtract them

# One look decides whether a line is worth more of them: a substring of every pattern below.
TRIGGER = re.compile(
    r"NVRM|SXid|nvidia|amdgpu|fence wait loop|signaled seq|unrecoverable state|preemption failed"
    r"|failed to respond|evict|mlx5_core|PAGE_FAULT|DMAR|PCIe Bus Error|AER|Hardware Error|EDAC"
    r"|Uncorrected error|lockup|LOCKUP|stall|BUG|Oops|protection fault|Kernel panic|blocked for"
    r"|ut of memory|oom-kill|-fs|XFS|BTRFS|error, dev|Medium Error|nvme|md/raid|not responding"
    r"|NEURON_HW_ERR|TPU|halted|temperature|Saved bad pages|page fault"
)
XID = re.compile(
    r"NVRM: Xid \((?:PCI:)?(?P<device>[^)\s]*)(?: GPU-I:\d+)?(?: GPU-CI:\d+)?\): "
    r"(?P<code>\d{1,5})\b(?P<rest>.*)"
)
SXID = re.compile(
    r"(?:nvidia-nvswitch(?P<switch>\d+): )?SXid \((?:PCI:)?(?P<device>[0-9a-fA-F:.]+)\): "
    r"(?P<code>\d{5})\b(?:, (?P<rest>.*))?"
)
NVLINK5 = re.compile(
    r"(?P<unit>[A-Z][A-Z0-9_]*(?:/[A-Z0-9_]+)?)\s+(?P<severity>Nonfatal|Fatal)\s+XC[01]\s+i\d\s+"
    r"Link\s+(?P<link>-?\d+)(?:\s+\((?P<words>0x[0-9a-fA-F]+(?:\s+0x[0-9a-fA-F]+)*))?"
)
RECOVERY = re.compile(
    r"recovery action changed from 0x[0-9a-fA-F]+ \([^)]*\) to (?P<to>0x[0-9a-fA-F]+)"
    r"(?: \((?P<text>[^)]*)\))?"
)
# The driver's words decide before its number: a public write-up pairs them wrongly.
RECOVERY_TEXT = {
    "none": ("none", "info"),
    "gpu reset required": ("reset_gpu", "critical"),
    "node reboot required": ("reboot_node", "critical"),
    "os reboot": ("reboot_node", "critical"),
    "drain p2p": ("drain_then_follow_next", "error"),
    "drain and reset": ("drain_and_reset", "critical"),
    "recover imex domain": ("recover_imex_domain", "critical"),
}
RECOVERY_NUMBER = ("none", "gpu reset required", "node reboot required", "drain p2p",
                   "drain and reset", "recover imex domain")  # fmt: skip
STAMP = re.compile(
    r"^(?:<\d+>)?(?:\[\s*(?P<boot>\d+\.\d+)\]"
    r"|\[(?P<wall>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})\]"
    r"|(?P<iso>\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<syslog>[A-Z][a-z]{2} [ \d]\d [\d:]{8}))"
)


@dataclass(frozen=True, slots=True)
class Event:
    """One line that tells of a fault. ``policy`` says whose judgement class and action are."""

    vendor: str
    kind: str
    code: int | None
    device: str
    fault_class: str
    severity: str
    action: str
    policy: str
    meaning: str
    line: str
    when: str = ""
    drill: bool = False


def decode(lines: Iterable[str]) -> Iterator[Event]:
    """Every event in *lines*, in order."""
    for line in lines:
        event = event_of(line)
        if event is not None:
            yield event


def event_of(line: str) -> Event | None:
    """The event in one line, if it tells of one."""
    line = line[:LONGEST].rstrip("\r\n")
    if not TRIGGER.search(line):
        return None
    found = XID.search(line)
    if found:
        return _xid(line, found)
    found = SXID.search(line)
    if found:
        return _sxid(line, found)
    for pattern in catalogue.patterns():
        found = pattern.find.search(line)
        if found:
            groups = found.groupdict()
            device = groups.get("device") or groups.get("nvme") or ""
            return Event(
                pattern.vendor, pattern.kind, pattern.code, device_id(device), pattern.fault_class,
                pattern.severity, pattern.action, "assay", pattern.meaning, line.strip(),
                when(line), bool(MARKER.search(line)),
            )  # fmt: skip
    return None


def device_id(text: str) -> str:
    """A PCI address in one form: four-digit domain, lower case, with function; else as it is.

    >>> device_id("0000:A1:00"), device_id("00000000:3B:00.0"), device_id("...")
    ('0000:a1:00.0', '0000:3b:00.0', '')
    """
    found = re.fullmatch(
        r"([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})(?:\.([0-9a-fA-F]))?", text
    )
    if found:
        domain, bus, slot, function = found.groups()
        return f"{domain[-4:]}:{bus}:{slot}.{function or 0}".lower()
    return "" if text == "..." else text.rstrip(":.")


def when(line: str) -> str:
    """The stamp at the head of *line* as it stands there: seconds since boot, or a date."""
    found = STAMP.match(line)
    return next((value for value in found.groups() if value), "") if found else ""


def _xid(line: str, found: re.Match[str]) -> Event:
    code = int(found["code"])
    known = catalogue.xid(code)
    fault_class, severity, action = known.fault_class, known.severity, known.action
    meaning, policy = known.meaning, "nvidia catalogue" if known.name else "assay"
    rest = found["rest"] or ""
    if code == 154:
        severity, action = _recovery(rest)
        policy = "nvidia driver"
    elif severity == "by_decode" or action == "decode_required":
        decoded = _nvlink5(code, rest)
        if decoded is not None:
            severity, action, detail = decoded
            meaning, policy = f"{meaning}: {detail}", "nvidia NVLink 5 table"
        elif severity == "by_decode":
            severity = "unknown"
    if severity in ("by_text", "by_decode"):
        severity = "unknown"
    return Event(
        "nvidia", "xid", code, device_id(found["device"]), fault_class, severity, action, policy,
        meaning, line.strip(), when(line), bool(MARKER.search(line)),
    )  # fmt: skip


def _recovery(rest: str) -> tuple[str, str]:
    found = RECOVERY.search(rest)
    if not found:
        return "unknown", "follow_text"
    text = (found["text"] or "").strip().lower()
    if text not in RECOVERY_TEXT:
        number = int(found["to"], 16)
        text = RECOVERY_NUMBER[number] if not text and number < len(RECOVERY_NUMBER) else ""
    action, severity = RECOVERY_TEXT.get(text, ("follow_text", "unknown"))
    return severity, action


def _nvlink5(code: int, rest: str) -> tuple[str, str, str] | None:
    """Severity, action and words for an NVLink 5 line, by its register words."""
    body = NVLINK5.search(rest)
    if body is None:
        return None
    words = [int(word, 16) for word in (body["words"] or "").split()]
    row = _row(code, body["unit"], words) if len(words) > 1 else None
    where = f"{body['unit']} link {int(body['link'])}"
    if row is None:
        # no row: the line's own word, on the safe side
        if body["severity"] == "Fatal":
            return "critical", "reset_gpu", f"{where}, fatal by the line's own word"
        return "warning", "investigate", f"{where}, not fatal by the line's own word"
    severity, action = {
        "IGNORE": ("warning", "none"),
        "RESET_GPU": ("critical", "reset_gpu"),
        "XID_154_EVAL": ("warning", "follow_xid154_else_restart_app"),
    }.get(row.immediate, ("unknown", "investigate"))
    return severity, action, f"{where}, {row.severity.rstrip('*?').lower()}"


def _row(code: int, unit: str, words: list[int]) -> NvLink5Row | None:
    interrupt, status = words[0], words[1]
    rows = [row for row in catalogue.nvlink5() if row.xid == code]
    for exact in (True, False):  # a row of this very unit first, then any that fits the bits
        for row in rows:
            if exact and not _same_unit(row.unit, unit):
                continue
            fits = any(interrupt & mask == value for mask, value in row.masks)
            if fits and (not row.error_status or status in row.error_status):
                return row
    return None


def _same_unit(listed: str, printed: str) -> bool:
    return listed.partition("/")[0] == printed.partition("/")[0]


_DETAIL = re.compile(r"^(?:Severity \d|Data \{)")
_LINK = re.compile(r"\b[Ll]ink (?P<link>\d+)")


def _sxid(line: str, found: re.Match[str]) -> Event:
    code = int(found["code"])
    rest = (found["rest"] or "").strip()
    known = catalogue.sxids().get(code)
    fault_class, severity, action = _sxid_verdict(rest, known)
    meaning = known.meaning if known else "Not in the catalogue that ships with Assay"
    return Event(
        "nvidia", "sxid", code, device_id(found["device"]), fault_class, severity, action,
        "nvidia driver" if rest else "assay", meaning, line.strip(), when(line),
        bool(MARKER.search(line)),
    )  # fmt: skip


def _sxid_verdict(rest: str, known: SXid | None) -> tuple[str, str, str]:
    if _DETAIL.match(rest):
        return "nvswitch_detail", "info", "none"
    word = rest.split(",", maxsplit=1)[0].strip().lower()
    fatal = word == "fatal"
    if not fatal and word not in ("non-fatal", "nonfatal"):
        if known is None:
            return "unknown", "unknown", "record_only"
        fatal = known.guide in ("fatal", "always_fatal") or known.driver_class == "fatal"
        fatal = fatal or known.action in ("reset_fabric_or_reboot", "reboot_host")
    if fatal:
        scope = "nvswitch_link_fatal" if _LINK.search(rest) else "nvswitch_device_fatal"
        action = "reset_fabric_or_reboot"
        if known and known.guide == "always_fatal":
            action = "reboot_host"
        return scope, "critical", action
    action = known.action if known and not known.action.startswith("reset") else "watch"
    return "nvswitch_nonfatal", "warning", action
