"""Dotted numbers with anything after them: letters, dashes, underscores, dated releases.

10.24.09a is after 10.24.09, 1.9.17p1 after 1.9.17, 24.10-3.2.5.0 counts on after the dash;
alpha, beta, rc, pre, dev and whatever follows a tilde come before the release.
"""

import re

from assay.advisories.versions.scheme import BadVersion, Version, exact

Part = tuple[int, int, str]

_END: Part = (0, 0, "")
_BEFORE = {"dev": 0, "snapshot": 0, "alpha": 1, "beta": 2, "pre": 3, "preview": 3, "rc": 4}
_TOKEN = re.compile(r"\d+|[A-Za-z]+|~")
_SHAPE = re.compile(r"[vV]?\d[0-9A-Za-z.\-_+~]*")
# what vendors put in front: "RomePI 1.0.0.C", "egs-1.09", "OTA0", "RELEASE.2025-02-28T...",
# "OpenSSH_9.7p1", and the platform code of a DGX-2 BIOS, "S2W_3A13"
_PREFIX = re.compile(r"(?:RELEASE\.|OTA|[A-Za-z]{2,12}PI |[a-z]{3}-|OpenSSH_|S2W_)(?=\d)")


def parse(text: str) -> Version:
    """Numbers compare as numbers, letters after them as later, words of unreadiness as earlier."""
    bare = _PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text
    if _SHAPE.fullmatch(bare) is None:
        raise BadVersion(f"{text[:40]!r} is not a dotted version")
    bare = bare.lstrip("vV").partition("+")[0]
    key = _key(bare)
    first = next((str(value) for kind, value, _ in key if kind == 2), "")
    return exact(text, key, branch=first, order=int(first) if first else None)


def _key(bare: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    for token in _TOKEN.findall(bare):
        if token == "~":
            parts.append((-2, 0, ""))
        elif token.isdigit():
            parts.append((2, int(token), ""))
        elif token.lower() in _BEFORE:
            _drop_zeros(parts)
            parts.append((-1, _BEFORE[token.lower()], ""))
        else:
            parts.append((3, 0, token.lower()))
    _drop_zeros(parts)
    return (*parts, _END)


def _drop_zeros(parts: list[Part]) -> None:
    """1.17 is 1.17.0, also as the base of 1.17.0-rc1; but rc0 keeps its number."""
    while len(parts) > 1 and parts[-1] == (2, 0, "") and parts[-2][0] == 2:
        parts.pop()
