"""Debian and Ubuntu package versions, compared as dpkg does."""

import re

from assay.advisories.versions.scheme import BadVersion, Version, exact

_SHAPE = re.compile(r"(?:\d+:)?\d[A-Za-z0-9.+:~\-]*")


def parse(text: str) -> Version:
    """epoch:upstream-revision."""
    from univers.debian import Version as DebianVersion  # 15 ms: only where a package is compared

    if _SHAPE.fullmatch(text) is None:
        raise BadVersion(f"{text[:40]!r} is not a Debian version")
    try:
        key = DebianVersion.from_string(text)  # type: ignore[no-untyped-call]
    except ValueError as error:
        raise BadVersion(f"{text[:40]!r} is not a Debian version") from error
    return exact(text, key, branch=upstream(text))


def upstream(text: str) -> str:
    """The upstream number inside: ``2:1.1.5+ds1-1+deb12u1`` is 1.1.5.

    >>> upstream("1.1.5+ds1-1+deb12u1"), upstream("24.0.7-0ubuntu4.1"), upstream("1:9.2p1-2")
    ('1.1.5', '24.0.7', '9.2p1')
    """
    bare = text.partition(":")[2] or text
    bare = bare.rpartition("-")[0] or bare
    # repacking marks: +ds1, +dfsg, ~ds2, +really, +git20240101
    return re.split(r"[+~](?:ds|dfsg|really|git|repack|ubuntu|deb)|\.dfsg", bare)[0]
