"""vGPU software: host manager and guest driver are different builds of one vGPU release.

A driver build (580.159.01) compares in its branch; a vGPU release (19.5) compares with the
release that carries the fix. Which of the two a text is, its size tells.
"""

import re

from assay.advisories.versions import driver
from assay.advisories.versions.scheme import BadVersion, Version, exact

_RELEASE = re.compile(r"(\d{1,2})\.(\d{1,2})")


def parse(text: str) -> Version:
    """A driver build, as the row of the advisory gives it, or a release; they never compare."""
    return release(text) if is_release(text) else driver.parse(text)


def release(text: str) -> Version:
    """A vGPU software release: 16.14 is after 16.9."""
    found = _RELEASE.fullmatch(text)
    if found is None:
        raise BadVersion(f"{text[:40]!r} is not a vGPU release")
    major, minor = int(found.group(1)), int(found.group(2))
    return exact(text, (major, minor), branch=str(major), order=major)


def is_release(text: str) -> bool:
    """True for 19.5, False for 580.159.01."""
    return _RELEASE.fullmatch(text) is not None
