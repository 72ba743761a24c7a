"""Read numbers as tools print them. What is not a number is None or Unread, never zero."""

import re
from math import isfinite

from assay.kit.seen import Unread

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
# Words by which tools say "I do not have this value".
SILENT = frozenset(
    {"", "n/a", "[n/a]", "na", "none", "-", "--", "null", "not supported", "[not supported]",
     "unknown", "[unknown]", "unknown error", "[unknown error]", "err!", "not available",
     "requested functionality has been deprecated", "insufficient permissions",
     "[insufficient permissions]", "[gpu requires reset]", "gpu is lost", "[gpu is lost]"}
)  # fmt: skip


def number(text: str | None) -> float | None:
    """The number that *text* starts with ("35 C" is 35); None when the tool gave no value.

    >>> number("35 C"), number("[N/A]"), number("250.15 W")
    (35.0, None, 250.15)
    """
    if text is None or text.strip().lower() in SILENT:
        return None
    found = _NUMBER.match(text.strip())
    if found is None or len(found.group()) > 64:
        return None
    value = float(found.group())
    return value if isfinite(value) else None


def integer(text: str | None) -> int | None:
    """Like :func:`number`, for counts; a fraction is not a count and gives None.

    Exact at any size: a float loses digits of counters above 2**53.

    >>> integer("9007199254740993"), integer("4.0"), integer("4.5 GiB")
    (9007199254740993, 4, None)
    """
    value = number(text)
    if text is None or value is None or value != int(value):
        return None
    found = _NUMBER.match(text.strip())
    digits = found.group() if found else ""
    return int(digits) if digits.lstrip("+-").isdecimal() else int(value)


def required(text: str | None, what: str) -> float:
    """The number in *text*, or Unread naming *what*."""
    value = number(text)
    if value is None:
        raise Unread(f"{what} is not a number: {(text or '')[:80]!r}")
    return value
