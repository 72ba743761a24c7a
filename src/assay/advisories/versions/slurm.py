"""Slurm: year.month.maintenance, sometimes with a packaging number (21.08.8-2) or a pre-release.

The packaging number does count: 21.08.8-2 replaced 21.08.8 within hours. A release series
without its maintenance number ("24.05") can be any release of the series.
"""

import re

from assay.advisories.versions.scheme import BadVersion, Version

_SHAPE = re.compile(
    r"(?:slurm(?:-wlm)?[ -])?(\d{2})\.(0[25]|08|11)(?:\.(\d+))?(?:[-.]?(0?rc|pre|p)(\d+))?"
    r"(?:-(\d+))?",
    re.IGNORECASE,
)
_LAST = 1 << 20


def parse(text: str) -> Version:
    """A release, a pre-release of one, or a series of which the release is not known."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise BadVersion(f"{text[:40]!r} is not a Slurm version")
    year, month, release, word, number, packaging = found.groups()
    series = (int(year), int(month))
    branch = f"{year}.{month}"
    if word and word.lower() != "p":
        key = (*series, int(release or 0), -1, int(number))
        return Version(text, key, key, branch, series)
    if release is None:
        return Version(text, (*series, 0, 0, 0), (*series, _LAST, 0, 0), branch, series)
    key = (*series, int(release), 0, int(packaging or number or 0))
    return Version(text, key, key, branch, series)
