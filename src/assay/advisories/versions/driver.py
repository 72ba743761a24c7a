"""NVIDIA driver builds: 580.95.05 is of branch R580; only versions of one branch compare."""

import re

from assay.advisories.versions.scheme import BadVersion, Version, exact

_SHAPE = re.compile(r"(\d{3})\.(\d{1,3})(?:\.(\d{1,2}))?")


def parse(text: str) -> Version:
    """<branch>.<release>[.<build>]; a package's epoch and revision are not part of it."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise BadVersion(f"{text[:40]!r} is not an NVIDIA driver version")
    branch, release, build = (int(n or 0) for n in found.groups())
    return exact(text, (branch, release, build), branch=f"R{branch}", order=branch)


def bare(text: str) -> str:
    """The driver's own number in a package version: ``1:580.95.05-0ubuntu1`` is 580.95.05."""
    found = re.search(r"(?<![\d.])\d{3}\.\d{2,3}(?:\.\d{2})?(?![\d.])", text)
    return found.group() if found else text
