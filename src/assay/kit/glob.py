"""The path patterns of readings: shell globs in which ``*`` stays inside one folder."""

import re
from collections.abc import Iterator
from functools import cache

_ALTERNATIVES = re.compile(r"\{([^{}]*)\}")


def expand(glob: str) -> Iterator[str]:
    """*glob* with ``{a,b}`` written out.

    >>> list(expand("/sys/{a,b}/x"))
    ['/sys/a/x', '/sys/b/x']
    """
    found = _ALTERNATIVES.search(glob)
    if found is None:
        yield glob
        return
    for choice in found.group(1).split(","):
        yield from expand(glob[: found.start()] + choice + glob[found.end() :])


@cache
def matcher(pattern: str) -> re.Pattern[str]:
    """A whole-path regular expression for one expanded pattern."""
    parts = {"*": "[^/]*", "?": "[^/]"}
    out, at = [], 0
    while at < len(pattern):
        char = pattern[at]
        end = pattern.find("]", at + 2) if char == "[" else -1
        if end > 0:
            inner = pattern[at + 1 : end].replace("\\", "\\\\")
            out.append("[" + ("^" + inner[1:] if inner[0] == "!" else inner) + "]")
            at = end
        else:
            out.append(parts.get(char, re.escape(char)))
        at += 1
    return re.compile("".join(out))
