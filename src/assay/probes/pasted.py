"""Read vendors' outputs as people paste them: colours, prompts, several documents, cuts."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from assay.kit.quantity import integer, number
from assay.kit.reading import Reading
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Status

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_CUT = re.compile(
    r"^[ \t]*(?:\.{3,}|…|\[?output (?:truncated|omitted)\]?|\[\.\.\.\])[ \t]*,?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
# "[root@node ~]#" begins a prompt, not a document.
_START = re.compile(r"^[ \t]*(\{|\[(?=\s*(?:[\[{\"\]\d-]|true|false|null|$)))", re.MULTILINE)
_BDF = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])", re.IGNORECASE)
_SIZE = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*([kmgtp]?i?b(?:ytes?)?)?", re.IGNORECASE)
# Vendors' tools count in powers of two whatever they call the unit (64289 MB is 64289 MiB).
_MIB = {"": 1.0, "b": 2.0**-20, "k": 2.0**-10, "m": 1.0, "g": 2.0**10, "t": 2.0**20, "p": 2.0**30}


def clean(text: str) -> str:
    """*text* without colours, carriage returns and byte order mark."""
    return _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")


def tried(seen: Seen, reading: Reading) -> Capture | None:
    """The capture of *reading*; None when this run did not try it or there is no such thing."""
    found = seen.capture(reading)
    return None if found is None or found.status is Status.ABSENT else found


def said(capture: Capture) -> str:
    """All that a command printed, complaints last."""
    out = clean(capture.data.decode("utf-8", "replace"))
    return out if not capture.stderr else f"{out}\n{clean(capture.stderr)}"


def was_cut(text: str) -> bool:
    """True when somebody left parts of *text* out ("...")."""
    return _CUT.search(text) is not None


def documents(text: str, what: str) -> list[Any]:
    """Every JSON value that starts a line of *text*; none, or a broken one, is Unread.

    Tools print several one after another, or a warning first; pastes begin with the prompt.
    """
    text = _CUT.sub("", text)
    decoder, at, found = json.JSONDecoder(), 0, []
    while start := _START.search(text, at):
        try:
            value, at = decoder.raw_decode(text, start.start(1))
        except (ValueError, RecursionError) as error:
            raise Unread(f"{what} is not whole JSON: {error}") from error
        found.append(value)
    if not found:
        raise Unread(f"{what} holds no JSON")
    return found


def real(value: object) -> float | None:
    """The finite number in a JSON or text value, also in ``{"value": 10, "unit": "W"}``."""
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, str):
        value = number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def count(value: object) -> int | None:
    """Like :func:`real`, for whole numbers from zero up, exact at any size."""
    if isinstance(value, dict):
        value = value.get("value")
    found = integer(value) if isinstance(value, str) else real(value)
    if isinstance(value, int) and found is not None:
        found = int(value)  # a float loses digits above 2**53
    return int(found) if found is not None and found >= 0 and found == int(found) else None


def words(value: object) -> str:
    """A text value as it is; "" where the tool says that it has none."""
    if isinstance(value, dict):
        value = value.get("value")
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    text = str(value).strip()
    return "" if text.lower() in _NOTHING else text


_NOTHING = {"", "n/a", "na", "none", "null", "-", "--", "unknown", "not supported", "<redacted>"}


def mib(value: object) -> float | None:
    """A memory size in MiB; ``196592 MB``, ``{"value": 1, "unit": "GB"}``, ``64 GiB``."""
    unit = ""
    if isinstance(value, dict):
        unit = str(value.get("unit") or "")
    elif isinstance(value, str):
        found = _SIZE.fullmatch(value.strip())
        unit = (found.group(2) or "") if found else "?"
    amount, factor = real(value), _MIB.get(unit.strip().lower()[:1])
    return None if amount is None or factor is None or amount < 0 else amount * factor


def bdf(value: object) -> str:
    """A PCI address in the house form (0000:0c:00.0); "" for anything else."""
    found = _BDF.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return ""
    domain, bus, device, function = found.groups()
    return f"{(domain or '0')[-8:].lstrip('0').rjust(4, '0')}:{bus}:{device}.{function}".lower()


def boxed(text: str) -> Iterator[list[list[str]]]:
    """Tables drawn with bars, in ASCII, Markdown or box characters: rows of stripped cells.

    Lines without bars end a table; ruling lines (``+---+``, ``|---|``) are left out.
    """
    rows: list[list[str]] = []
    for raw in text.split("\n"):
        line = raw.strip().translate(_BARS)
        if line.startswith("|") and line.endswith("|") and len(line) > 1:
            if not _RULE.fullmatch(line):
                rows.append([cell.strip() for cell in line[1:-1].split("|")])
        elif line and not _RULE.fullmatch(line):
            if rows:
                yield rows
            rows = []
    if rows:
        yield rows


_BARS = str.maketrans("│┃║", "|||")
_RULE = re.compile(r"[-+|=:┏┓┗┛━┳┻┡┩╇╕╪└┘─┴┬┌┐├┤┼╭╮╰╯╋\s]+")
