"""How Slurm writes things: states with flags, GRES and TRES, durations, node lists, tables."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import inf

from assay.kit.quantity import integer, number
from assay.kit.seen import Unread

NULL = frozenset({"", "(null)", "n/a", "none", "unknown", "(null type)", "null"})
# What scontrol and its siblings print in place of an answer.
ERROR = re.compile(
    r"^(?:(?:sinfo|squeue|scontrol|sacct|sacctmgr|sdiag|srun)[\w.]*: (?:error|fatal):[^\n]*"
    r"|slurm_load_\w+[^\n]*error[^\n]*|Slurm \w+ error[^\n]*|[^\n]*Unable to contact slurm"
    r"[^\n]*|Invalid node name specified[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_NOTHING = re.compile(r"^No \w+ (?:in the system|matching|found)", re.MULTILINE | re.IGNORECASE)
# sinfo's short words, and its one-letter flags behind a state (its manual, NODE STATE CODES).
_SHORT = {
    "alloc": "ALLOCATED", "mix": "MIXED", "comp": "COMPLETING", "drng": "DRAINING",
    "drain": "DRAINED", "failg": "FAILING", "futr": "FUTURE", "plnd": "PLANNED",
    "pow_dn": "POWERING_DOWN", "pow_up": "POWERING_UP", "resv": "RESERVED", "unk": "UNKNOWN",
    "npc": "PERFCTRS", "block": "BLOCKED", "inval": "INVAL", "boot": "REBOOT",
}  # fmt: skip
_SUFFIX = {
    "*": "NOT_RESPONDING", "~": "POWERED_DOWN", "#": "POWERING_UP", "!": "POWER_DOWN",
    "%": "POWERING_DOWN", "$": "MAINTENANCE", "@": "REBOOT_REQUESTED", "^": "REBOOT_ISSUED",
    "-": "PLANNED", "+": "CLOUD",
}  # fmt: skip
BASE = ("UNKNOWN", "DOWN", "IDLE", "ALLOCATED", "ERROR", "MIXED", "FUTURE")
_STATE = re.compile(r"([A-Za-z_]+)([*~#!%$@^+-]*)")
_DURATION = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?|(\d+)-(\d+)(?::(\d+))?")


def nothing(text: str, what: str) -> None:
    """Called where no fact was found: Slurm's "No jobs in the system" is fine, the rest Unread."""
    error = ERROR.search(text)
    if error:
        raise Unread(f"{what}: {error.group().strip()[:300]}")
    if not _NOTHING.search(text):
        raise Unread(f"{what} printed nothing that makes sense")


def word(text: str | None) -> str:
    """The value, "" where Slurm says that it has none."""
    text = (text or "").strip()
    return "" if text.lower() in NULL else text


def state(text: str) -> tuple[str, tuple[str, ...]]:
    """Base word and flags of ``IDLE*+DRAIN``, ``mix-``, ``drained$``; other words as they are."""
    base, flags = "", list[str]()
    for n, part in enumerate(text.strip().split("+")):
        found = _STATE.fullmatch(part.strip())
        if found is None:
            if part.strip():
                flags.append(part.strip().upper())
            continue
        name = _SHORT.get(found.group(1).lower(), found.group(1).upper())
        if n == 0:
            base = name
        else:
            flags.append(name if name != "DRAINED" else "DRAIN")
        flags += [_SUFFIX[sign] for sign in found.group(2)]
    if base in ("DRAINED", "DRAINING"):
        flags.insert(0, "DRAIN")
    return base, tuple(dict.fromkeys(flags))


def listed_state(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Base word and flags where they come as a list, in any order."""
    upper = [w.strip().upper() for w in words if w.strip()]
    base = next((w for w in upper if w in BASE), upper[0] if upper else "")
    return base, tuple(dict.fromkeys(w for w in upper if w != base))


def gpus(text: str | None) -> int | None:
    """How many GPUs a GRES or TRES text names; 0 if it names none, None if there is no text."""
    if text is None:
        return None
    total, untyped = 0, None
    for item in split_list(text):
        name, equals, amount = re.sub(r"\(.*", "", item).partition("=")
        first, *rest = name.strip().split(":")
        if first.removeprefix("gres/") != "gpu":
            continue
        if equals:
            count = integer(amount) or 0
        else:
            count = int(rest[-1][:9]) if rest and rest[-1].isdecimal() else 1
        if equals and not rest:
            untyped = count  # TRES lists gres/gpu and its types: the plain one is the sum
        total += count
    return total if untyped is None else untyped


def split_list(text: str) -> list[str]:
    """The items between commas that are not inside brackets."""
    return [item.strip() for item in re.split(r",(?![^(\[]*[)\]])", text) if item.strip()]


def seconds(text: str | None) -> float | None:
    """A duration: ``2-03:41:40``, ``17:22:49``, ``4:59``, ``UNLIMITED``, ``30 sec``, ``5 min``."""
    text = (text or "").strip()
    if text.upper() in ("UNLIMITED", "INFINITE"):
        return inf
    found = _DURATION.fullmatch(text)
    if found is None:
        value = number(text)
        return value * 60 if value is not None and text.endswith("min") else value
    days, hours, minutes, secs, only_days, only_hours, only_minutes = (
        int(g[:9]) if g else 0 for g in found.groups()
    )
    if found.group(5):
        return only_days * 86400 + only_hours * 3600 + only_minutes * 60.0
    return days * 86400 + hours * 3600 + minutes * 60.0 + secs


def minutes(text: str | None) -> float | None:
    """A time limit in minutes."""
    if text is not None and text.strip().isdecimal():
        return number(text)
    value = seconds(text)
    return None if value is None else value / 60


def stamp(value: object) -> str:
    """A time: epoch seconds as UTC, text as it is, "" for none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 < value < 1e11:
            return ""
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return word(value) if isinstance(value, str) else ""


def version(text: str) -> tuple[int, ...]:
    """``25.05.4`` as numbers; empty when it is none."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?", text)
    return tuple(int(part) for part in found.groups() if part) if found else ()


def rows(text: str) -> Iterator[list[str]]:
    """The cells of each line that is split by bars, ``|#`` or ``|``; others are left out."""
    lines = [line for line in text.split("\n") if "|" in line]
    mark = "|#" if lines and lines[0].count("|#") * 2 > lines[0].count("|") else "|"
    for line in lines:
        cells = [cell.strip() for cell in line.split(mark)]
        yield [cell.lstrip("#") for cell in cells] if mark == "|#" else cells


def table(text: str) -> Iterator[dict[str, str]]:
    """A table with a header, by header: with bars, or with a ruler of dashes under it."""
    lines = text.split("\n")
    ruler = next((n for n, s in enumerate(lines) if re.fullmatch(r"-+(?: +-+)+ *", s)), 0)
    if ruler:
        spans = [m.span() for m in re.finditer(r"-+", lines[ruler])]
        head = [lines[ruler - 1][a:b].strip() for a, b in spans]
        for line in lines[ruler + 1 :]:
            if line.strip():
                yield dict(zip(head, (line[a:b].strip() for a, b in spans), strict=True))
        return
    given = list(rows(text))
    for cells in given[1:]:
        record: dict[str, str] = {}
        for name, cell in zip(given[0], cells, strict=False):
            record.setdefault(name, cell)  # some formats repeat a column in another form
        yield record
