"""NVIDIA HPC SDK: year.month releases, 24.9 before 24.11; a window of them, never a branch."""

import re

from assay.advisories.versions.scheme import BadVersion, Version, exact

_SHAPE = re.compile(r"(\d{2})\.(\d{1,2})(?:-\d+)?")


def parse(text: str) -> Version:
    """Year and month."""
    found = _SHAPE.fullmatch(text)
    if found is None or not 1 <= int(found.group(2)) <= 12:
        raise BadVersion(f"{text[:40]!r} is not an HPC SDK release")
    key = (int(found.group(1)), int(found.group(2)))
    return exact(text, key, branch=text, order=key)
