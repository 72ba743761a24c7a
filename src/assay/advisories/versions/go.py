"""Semantic versions as Go projects use them: v-prefix, pre-releases, pseudo-versions.

Pre-release numbers compare as numbers (rc.10 is after rc.9, and rc95 after rc93). A suffix that
is no pre-release (``-0ubuntu4.1``) is not accepted: read as one it would sort before the release.
"""

import re

from assay.advisories.versions.scheme import BadVersion, Version, exact

_SHAPE = re.compile(
    r"(?:v|go)?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.(\d+))?"
    r"(?:[-.~]?((?:rc|alpha|beta|pre|dev|a|b|ce|0)(?:[.\-]?[0-9A-Za-z]+)*))?"
    r"(?:\+([0-9A-Za-z.\-]+))?"
)
_FOREIGN = re.compile(r"ubuntu|deb\d|\.el\d|\.fc\d|amzn|eks|gke|aks|tkg")
_TOKEN = re.compile(r"\d+|[a-z]+")


def parse(text: str) -> Version:
    """major.minor.patch with an optional pre-release; build metadata does not count."""
    found = _SHAPE.fullmatch(text)
    if found is None or _FOREIGN.search(text):
        raise BadVersion(f"{text[:40]!r} is not a semantic version")
    major, minor, patch, fourth, before, _ = found.groups()
    numbers = (int(major), int(minor or 0), int(patch or 0), int(fourth or 0))
    pre = (1,) if before is None or before == "ce" else (0, _pre(before))
    return exact(text, (numbers, pre), branch=f"{major}.{minor or 0}", order=numbers[:2])


def _pre(before: str) -> tuple[tuple[int, int, str], ...]:
    return tuple(
        (0, int(token), "") if token.isdigit() else (1, 0, token)
        for token in _TOKEN.findall(before.lower())
    )
