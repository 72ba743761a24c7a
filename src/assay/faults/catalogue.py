"""The fault catalogue: what a vendor's code means, whose policy that is, and what to do.

Data lies beside this file; nothing of it is read before somebody asks.
"""

import json
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Xid:
    """One Xid code of the NVIDIA driver. ``nvidia_*`` are the vendor's own buckets."""

    code: int
    name: str
    meaning: str
    fault_class: str
    severity: str
    action: str
    nvidia_immediate: str | None = None
    nvidia_investigatory: str | None = None
    note: str | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class SXid:
    """One SXid code of the NVSwitch driver. ``driver_class`` is the word that the driver prints."""

    code: int
    name: str
    meaning: str
    unit: str
    driver_class: str | None
    guide: str | None
    action: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class NvLink5Row:
    """One row of NVIDIA's NVLink 5 table: which register words mean what."""

    xid: int
    unit: str
    masks: tuple[tuple[int, int], ...]  # (mask, value) of the interrupt word; old and new drivers
    error_status: tuple[int, ...]  # any of these; none given: whatever it is
    severity: str
    immediate: str
    investigate: str | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A kernel line that tells of a fault by its words."""

    kind: str
    vendor: str
    find: re.Pattern[str]
    fault_class: str
    severity: str
    action: str
    meaning: str
    source: str
    code: int | None = None


def xid(code: int) -> Xid:
    """The Xid *code*; one that nobody listed yet is kept as unknown, never dropped."""
    found = xids().get(code)
    if found is not None:
        return found
    return Xid(
        code, "", "Not in the catalogue that ships with Assay", UNKNOWN, UNKNOWN, "record_only"
    )


@cache
def xids() -> dict[int, Xid]:
    """All Xid codes that have a meaning."""
    table = _json("xid.json")
    return {row[0]: Xid(*[*row[:9], table["sources"][row[9]]]) for row in table["rows"]}


@cache
def sxids() -> dict[int, SXid]:
    """All SXid codes."""
    table = _json("sxid.json")
    return {row[0]: SXid(*[*row[:7], table["sources"][row[7]]]) for row in table["rows"]}


@cache
def nvlink5() -> tuple[NvLink5Row, ...]:
    """NVIDIA's table for Xid 144 to 150 and 155."""
    return tuple(
        NvLink5Row(
            xid=code,
            unit=unit,
            masks=tuple((int(m, 16), int(v, 16)) for m, v in filter(None, (old, new))),
            error_status=tuple(int(word, 16) for word in (status or "").split("/") if word),
            severity=severity,
            immediate=immediate,
            investigate=investigate,
        )
        for code, unit, old, new, status, severity, immediate, investigate in (
            _json("nvlink5.json")["rows"]
        )
    )


@cache
def patterns() -> tuple[Pattern, ...]:
    """All other kernel lines, in the order in which they are tried."""
    text = (files(__package__) / "data" / "patterns.toml").read_text("utf-8")
    return tuple(
        Pattern(
            kind=row["kind"],
            vendor=row["vendor"],
            find=re.compile(row["find"]),
            fault_class=row["class"],
            severity=row["severity"],
            action=row["action"],
            meaning=row["meaning"],
            source=row["source"],
            code=row.get("code"),
        )
        for row in tomllib.loads(text)["pattern"]
    )


def _json(name: str) -> Any:
    return json.loads((files(__package__) / "data" / name).read_text("utf-8"))
