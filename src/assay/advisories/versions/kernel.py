"""Upstream kernels: 6.6.141, 7.1-rc3, and uname strings of kernels built from upstream."""

import re

from assay.advisories.versions.scheme import BadVersion, Version, exact

_SHAPE = re.compile(
    r"(\d+)\.(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-rc(\d+))?(?:[-+._][0-9A-Za-z.+_~\-]*)?\+?"
)
_NOT_RELEASED = 1 << 20


def parse(text: str) -> Version:
    """The numbers of a kernel and its series; what a builder appended does not count."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise BadVersion(f"{text[:40]!r} is not a kernel version")
    major, minor, patch, fourth = (int(n or 0) for n in found.groups()[:4])
    candidate = found.group(5)
    key = (major, minor, patch, fourth, int(candidate) if candidate else _NOT_RELEASED)
    return exact(text, key, branch=f"{major}.{minor}", order=(major, minor))
