"""RPM versions (epoch:version-release), compared as rpm does."""

import re

from assay.advisories.versions.scheme import BadVersion, Version, exact

_SHAPE = re.compile(r"(?:\d+:)?[0-9A-Za-z][0-9A-Za-z.+_~^]*(?:-[0-9A-Za-z.+_~^]+)?")


def parse(text: str) -> Version:
    """epoch:version-release; a missing epoch is 0."""
    from univers.rpm import RpmVersion  # 15 ms: only where a package is compared

    if _SHAPE.fullmatch(text) is None or not any(c.isdigit() for c in text):
        raise BadVersion(f"{text[:40]!r} is not an RPM version")
    try:
        key = RpmVersion.from_string(text)  # type: ignore[no-untyped-call]
    except ValueError as error:
        raise BadVersion(f"{text[:40]!r} is not an RPM version") from error
    return exact(text, key, branch=upstream(text))


def upstream(text: str) -> str:
    """The upstream number inside: ``4:1.1.12-3.el9`` is 1.1.12."""
    bare = text.partition(":")[2] or text
    return bare.partition("-")[0].partition("~")[0].partition("^")[0]
