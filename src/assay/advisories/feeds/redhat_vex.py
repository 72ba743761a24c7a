"""Red Hat's VEX documents: which build of a package fixes a CVE, per release."""

import re
from collections.abc import Iterator
from typing import Any

from assay.advisories.components import listed
from assay.advisories.feeds.feed import BadFeed, day, document, feed, inner, rows, texts, words
from assay.model.advisory import Advisory, Range

_SOURCES = {"kernel": "linux-kernel"}
_SOURCES |= {package: c.name for c in listed() for package in c.packages}
# AppStream-9.4.0.Z.MAIN.EUS:runc-4:1.1.12-3.el9_4.src, or with module streams in between
_FIXED = re.compile(r"[^:]+:(?:[^:]+::?)?(?P<name>[\w.+\-]+?)-(?P<evr>(?:\d+:)?[^-:]+-[^-]+)\.src")
_RELEASE = re.compile(r"\.el(\d+)(?:_(\d+))?")
_AFFECTED = re.compile(r"red_hat_enterprise_linux_(\d+):(?P<name>[\w.+\-]+)")


@feed(
    "redhat-vex",
    urls=("https://security.access.redhat.com/data/csaf/v2/vex/archive_latest.txt",),
    licence="CC-BY-4.0",
    members=r".*/cve-\d{4}-\d+\.json",
    refresh_only=True,
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Red Hat's own word on the packages that matter here: fixed in which build, or not fixed."""
    given = document(data, "a Red Hat VEX document")
    if words(inner(given, "document"), "category") != "csaf_vex":
        raise BadFeed("it is not a VEX document")
    for vulnerability in rows(given, "vulnerabilities"):
        cve = words(vulnerability, "cve")
        status = vulnerability.get("product_status")
        if not cve or not isinstance(status, dict):
            raise BadFeed("a vulnerability has no CVE or no product status")
        tables = _tables(status)
        for source, found in tables.items():
            yield Advisory(
                component=f"redhat/{source}",
                id=cve,
                title=f"{_SOURCES[source]} in Red Hat Enterprise Linux",
                ranges=tuple(found.values()),
                url=f"https://access.redhat.com/security/cve/{cve}",
                published=day(words(vulnerability, "release_date")),
                sources=("redhat-vex",),
                layer="host",
            )


def _tables(status: dict[str, Any]) -> dict[str, dict[str, Range]]:
    """Rows by source package and major release; the plain stream wins over extended ones."""
    tables: dict[str, dict[str, Range]] = {}
    for text in texts(status, "known_affected"):
        if (found := _AFFECTED.fullmatch(text)) and found["name"] in _SOURCES:
            row = Range(branch=found[1], inside=True)
            tables.setdefault(found["name"], {}).setdefault(found[1], row)
    for text in texts(status, "fixed"):
        found = _FIXED.fullmatch(text)
        release = _RELEASE.search(found["evr"]) if found else None
        if found is None or release is None or found["name"] not in _SOURCES:
            continue
        table = tables.setdefault(found["name"], {})
        plain = release[2] is None
        if plain or release[1] not in table or not table[release[1]].fixed:
            table[release[1]] = Range(fixed=found["evr"], branch=release[1], inside=True)
    for text in texts(status, "known_not_affected"):
        if (found := _AFFECTED.fullmatch(text)) and found["name"] in _SOURCES:
            row = Range(fixed="0", branch=found[1], inside=True)
            tables.setdefault(found["name"], {}).setdefault(found[1], row)
    return tables
