"""Node lists as Slurm writes them, ``gpu-[001-128,130],login``, and back. No I/O."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

MOST_NAMES = 1_000_000

_PART = re.compile(r"(?:[^\[\],\s]|\[[^\[\]\s]*\])+")
_PIECE = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")
_LAST_NUMBER = re.compile(r"(.*?)([0-9]{1,18})")


def expand(text: str) -> list[str]:
    """The names that *text* stands for, in its order; :class:`ValueError` if it makes no sense."""
    found: list[str] = []
    parts = _PART.findall(text)
    if ",".join(parts) != text:
        raise ValueError(f"{text[:80]!r} is no list of nodes")
    for part in parts:
        names = [""]
        for bracket, plain in _PIECE.findall(part):
            ends = list(_numbers(bracket)) if bracket else [plain]
            if len(names) * len(ends) + len(found) > MOST_NAMES:
                raise ValueError(f"more than {MOST_NAMES:,} nodes")
            names = [name + end for name in names for end in ends]
        found += names
    return found


def _numbers(bracket: str) -> Iterator[str]:
    for piece in bracket.split(","):
        found = _RANGE.fullmatch(piece)
        if not found:
            raise ValueError(f"{bracket!r} is no list of numbers")
        first, last = found[1], found[2] or found[1]
        if not 0 <= int(last) - int(first) < MOST_NAMES:
            raise ValueError(f"{piece!r} is no range")
        for number in range(int(first), int(last) + 1):
            yield str(number).zfill(len(first))


def fold(names: Iterable[str]) -> str:
    """*names* as short as Slurm's programs read them: one bracket a part, at the end of a name."""
    alike: dict[tuple[str, int], list[int]] = defaultdict(list)
    parts: list[str] = []
    for name in sorted(set(names)):
        found = _LAST_NUMBER.fullmatch(name)
        if found:
            alike[found[1], len(found[2])].append(int(found[2]))
        else:
            parts.append(name)
    for (stem, width), numbers in alike.items():
        runs = list(_runs(sorted(numbers), width))
        single = len(runs) == 1 and "-" not in runs[0]
        parts.append(stem + (runs[0] if single else f"[{','.join(runs)}]"))
    return ",".join(parts)


def _runs(numbers: list[int], width: int) -> Iterator[str]:
    begin = 0
    for at, number in enumerate(numbers):
        if at + 1 == len(numbers) or numbers[at + 1] != number + 1:
            first, last = str(numbers[begin]).zfill(width), str(number).zfill(width)
            yield first if begin == at else f"{first}-{last}"
            begin = at + 1
