"""Node lists as people write them: ``gpu-[001-128,130]``, and back.

>>> fold(["gpu-001", "gpu-002", "gpu-003", "gpu-010", "login"])
'gpu-[001-003,010],login'
>>> expand("gpu-[1-2]-ib[0-1]")
['gpu-1-ib0', 'gpu-1-ib1', 'gpu-2-ib0', 'gpu-2-ib1']

``expand(fold(names))`` gives exactly *names* (once each), whatever characters they hold: the
four that mean something here are written with a backslash. Names are not empty.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

LONGEST_NUMBER = 18  # longer runs of digits are identifiers, not counters: kept as text
MOST_NAMES = 1_000_000  # expand() refuses more: ten times the largest cluster we know of

_NUMBER = re.compile(rf"(?<![0-9])([0-9]{{1,{LONGEST_NUMBER}}})(?![0-9])")
_SPECIAL = re.compile(r"([\\\[\],])")
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")

_Axes = tuple[tuple[str, ...], ...]  # for each number of a name, the values that it takes


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts gpu-2 before gpu-10."""
    pieces = _NUMBER.split(name)
    return tuple(
        (1, int(piece), piece) if at % 2 else (0, 0, piece) for at, piece in enumerate(pieces)
    )


def fold(names: Iterable[str]) -> str:
    """*names* in one line, in natural order, each once."""
    return ",".join(parts(names))


def parts(names: Iterable[str]) -> list[str]:
    """The comma-separated parts of ``fold(names)``, for those who can show only some."""
    alike: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for name in sorted(set(names), key=natural):
        pieces = _NUMBER.split(name)
        alike[tuple(pieces[::2])].append(tuple(pieces[1::2]))
    return [
        _written(texts, axes) for texts, numbers in alike.items() for axes in _products(numbers)
    ]


def expand(text: str) -> list[str]:
    """The names that *text* stands for; :class:`ValueError` says what is wrong with it."""
    names = list(itertools.islice(_names(text), MOST_NAMES + 1))
    if len(names) > MOST_NAMES:
        raise ValueError(f"more than {MOST_NAMES:,} nodes")
    return names


def _products(numbers: Sequence[tuple[str, ...]]) -> list[_Axes]:
    """Merge names that differ in one number only, from the last number to the first."""
    found: list[_Axes] = [tuple((value,) for value in row) for row in numbers]
    for axis in reversed(range(len(numbers[0]))):
        merged: dict[_Axes, list[str]] = defaultdict(list)
        for axes in found:
            merged[axes[:axis] + axes[axis + 1 :]].extend(axes[axis])
        found = [
            (*others[:axis], tuple(values), *others[axis:]) for others, values in merged.items()
        ]
    return found


def _written(texts: Sequence[str], axes: _Axes) -> str:
    written = [_SPECIAL.sub(r"\\\1", texts[0])]
    for values, text in zip(axes, texts[1:], strict=True):
        written += [_numbers(values), _SPECIAL.sub(r"\\\1", text)]
    return "".join(written)


def _numbers(values: Sequence[str]) -> str:
    if len(values) == 1:
        return values[0]
    runs: list[list[str]] = []
    for value in sorted(values, key=lambda v: (int(v), len(v))):
        if runs and _follows(runs[-1], value):
            runs[-1].append(value)
        else:
            runs.append([value])
    ranges = [run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return f"[{','.join(ranges)}]"


def _follows(run: Sequence[str], value: str) -> bool:
    """A range keeps its width, or counts without leading zeros."""
    first, last = run[0], run[-1]
    if int(value) != int(last) + 1:
        return False
    return len(value) == len(first) or (first[0] != "0" and value[0] != "0")


def _names(text: str) -> Iterator[str]:
    for piece in _pieces(text):
        for combination in itertools.product(*piece):
            yield "".join(combination)


def _pieces(text: str) -> Iterator[list[Iterable[str]]]:
    """Split at the commas between names: each name is a list of texts and sets of numbers."""
    piece: list[Iterable[str]] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "[":
            end = text.find("]", at)
            if end < 0:
                raise ValueError(f"no ] after position {at + 1}")
            piece.append(list(_values(text[at + 1 : end])))
            at = end + 1
        elif char == "]":
            raise ValueError(f"no [ before position {at + 1}")
        elif char == ",":
            if not piece:
                raise ValueError(f"no name before position {at + 1}")
            yield piece
            piece, at = [], at + 1
            if at == len(text):
                raise ValueError("no name after the last comma")
        else:
            at += char == "\\" and at + 1 < len(text)
            piece.append((text[at],))
            at += 1
    if piece:
        yield piece


def _values(text: str) -> Iterator[str]:
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if not match:
            raise ValueError(f"{part!r} is no range of numbers")
        first, last = match[1], match[2] or match[1]
        low, high = int(first), int(last)
        if high < low or high - low >= MOST_NAMES:
            raise ValueError(f"{part!r} is no range of numbers")
        width = len(first) if len(first) == len(last) else 0
        yield from (str(number).zfill(width) for number in range(low, high + 1))
