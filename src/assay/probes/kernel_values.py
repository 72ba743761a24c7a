"""How the kernel prints values in /proc and /sys, and how people save them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

_WHOLE = re.compile(r"[-+]?\d{1,18}")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CHOSEN = re.compile(r"\[([^\]\s]+)\]")


def whole(text: str | None) -> int | None:
    """The whole number that *text* is, and nothing else: "12" is 12, "12 GB" is None."""
    return int(text.strip()) if text is not None and _WHOLE.fullmatch(text.strip()) else None


def chosen(text: str) -> str:
    """The chosen word of "always [madvise] never"; the text itself when it is a single word."""
    found = _CHOSEN.search(text)
    if found:
        return found.group(1)
    return text.strip() if len(text.split()) == 1 else ""


def plain_lines(text: str) -> list[str]:
    """Lines of a saved terminal output without colours, carriage returns and trailing blanks."""
    return [line.rstrip() for line in _ANSI.sub("", text.replace("\r\n", "\n")).splitlines()]


def by_folder(files: Iterable[tuple[str, str]], root: str) -> Mapping[str, dict[str, str]]:
    """Files below *root* as folder -> file (with its path inside) -> stripped text."""
    folders: dict[str, dict[str, str]] = defaultdict(dict)
    for path, text in files:
        folder, _, name = path.removeprefix(root).strip("/").partition("/")
        if name:
            folders[folder][name] = text.strip()
    return folders


def cpu_count(text: str) -> int | None:
    """How many CPUs a list such as "0-3,8,10-11" names; None when it is no such list."""
    total = 0
    for part in text.strip().split(","):
        first, dash, last = part.partition("-")
        start, end = whole(first), whole(last if dash else first)
        if start is None or end is None or not 0 <= start <= end:
            return None
        total += end - start + 1
    return total
