"""Debian's security tracker: which revision of a source package fixes what, per release."""

from collections.abc import Iterator
from typing import Any

from assay.advisories.components import listed
from assay.advisories.feeds.feed import BadFeed, document, feed, words
from assay.model.advisory import Advisory, Range

_SOURCES = {"linux": "linux-kernel"}
_SOURCES |= {package: c.name for c in listed() for package in c.packages}


@feed(
    "debian-tracker",
    urls=("https://security-tracker.debian.org/tracker/data/json",),
    licence="MIT-like (Debian security tracker)",
    refresh_only=True,
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Debian's own word on the source packages that matter here; closed and open ones."""
    given = document(data, "the Debian tracker")
    found = 0
    for source, entries in given.items():
        if source not in _SOURCES:
            continue
        if not isinstance(entries, dict):
            raise BadFeed(f"the entry of {source} is not an object")
        for cve, entry in entries.items():
            if cve.startswith("CVE-") and isinstance(entry, dict):
                found += 1
                yield from _advisory(source, cve, entry.get("releases"))
    if not found:
        raise BadFeed("the Debian tracker names no package that we know")


def _advisory(source: str, cve: str, releases: Any) -> Iterator[Advisory]:
    if not isinstance(releases, dict):
        raise BadFeed(f"{source} {cve} has no releases")
    rows = []
    for release, said in releases.items():
        status = words(said, "status") if isinstance(said, dict) else ""
        if status == "resolved":
            rows.append(
                Range(fixed=words(said, "fixed_version") or "0", branch=release, inside=True)
            )
        elif status == "open" and words(said, "urgency") != "unimportant":
            rows.append(Range(branch=release, inside=True))
    if rows:
        yield Advisory(
            component=f"debian/{source}",
            id=cve,
            title=f"{_SOURCES[source]} in Debian",
            ranges=tuple(rows),
            url=f"https://security-tracker.debian.org/tracker/{cve}",
            sources=("debian-tracker",),
            layer="host",
        )
