"""Ubuntu: OSV records of CVEs by source package and release, and live patch notices."""

import re
from collections.abc import Iterator

from assay.advisories import distro
from assay.advisories.components import listed
from assay.advisories.feeds import osv
from assay.advisories.feeds.feed import BadFeed, day, document, feed, inner, rows, words
from assay.model.advisory import Advisory, Range
from assay.model.outcome import Severity

_ECOSYSTEM = re.compile(r"Ubuntu(?::Pro)?:(\d{2}\.\d{2})(?::LTS)?")
_KERNEL = re.compile(r"linux(?:-[a-z0-9.\-]+)?")
_NOT_KERNELS = re.compile(r"linux-(?:firmware|base|meta.*|signed.*|restricted.*|libc-dev)")
_SOURCES = {package for c in listed() for package in c.packages}


@feed(
    "ubuntu-osv",
    urls=("https://security-metadata.canonical.com/osv/osv-all.tar.xz",),
    licence="CC-BY-SA-4.0",
    members=r"osv/cve/\d{4}/UBUNTU-CVE-\d{4}-\d+\.json",
    refresh_only=True,
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Ubuntu's own word on kernels of every flavour and on the packages that matter here."""
    given = document(data, "an Ubuntu record")
    if words(given, "withdrawn"):
        return
    id, aliases = osv.cve_of(given)
    tables: dict[str, list[Range]] = {}
    for affected in rows(given, "affected"):
        package = inner(affected, "package")
        release = _ECOSYSTEM.fullmatch(words(package, "ecosystem"))
        series = distro.codename("ubuntu", release[1]) if release else ""
        source = words(package, "name")
        if not series:
            continue
        if _KERNEL.fullmatch(source) and not _NOT_KERNELS.fullmatch(source):
            rows_of = osv.ranges(affected, branch=f"{series}/{source}")
            tables.setdefault("ubuntu-kernel", []).extend(rows_of)
        elif source in _SOURCES:
            rows_of = osv.ranges(affected, branch=series)
            tables.setdefault(f"ubuntu/{source}", []).extend(rows_of)
    for table, found in tables.items():
        yield Advisory(
            component=table,
            id=id,
            title=f"{table.replace('/', ': ')} in Ubuntu" if "/" in table else "Ubuntu kernels",
            ranges=tuple(dict.fromkeys(found)),
            severity=_severity(given),
            aliases=tuple(a for a in aliases if not a.startswith("UBUNTU-")),
            url=f"https://ubuntu.com/security/{id}",
            published=day(words(given, "published")),
            sources=("ubuntu-osv",),
            layer="host",
        )


def _severity(given: dict[str, object]) -> Severity | None:
    for row in rows(given, "severity"):
        if words(row, "type") == "Ubuntu":
            word = words(row, "score")
            return Severity(word) if word in ("critical", "high", "medium", "low") else None
    return None


@feed(
    "ubuntu-lsn",
    urls=("https://ubuntu.com/security/notices.json?details=LSN&limit=20",),
    licence="CC-BY-SA-4.0",
    refresh_only=True,
)
def live_patches(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Live patch notices: which patch version fixes which CVEs, per release and flavour."""
    given = document(data, "the live patch notices")
    for notice in rows(given, "notices"):
        if not words(notice, "id").startswith("LSN-"):
            continue
        packages = notice.get("release_packages")
        cves = notice.get("cves_ids")
        if not isinstance(packages, dict) or not isinstance(cves, list):
            raise BadFeed(f"{words(notice, 'id')} lists no packages or CVEs")
        found = tuple(
            Range(fixed=words(row, "version"), branch=f"{series}/{words(row, 'name')}", inside=True)
            for series, listed_rows in packages.items()
            if isinstance(listed_rows, list)
            for row in listed_rows
            if isinstance(row, dict) and words(row, "version")
        )
        for cve in cves:
            if isinstance(cve, str) and cve.startswith("CVE-") and found:
                yield Advisory(
                    component="ubuntu-livepatch",
                    id=cve,
                    title="Live patch for Ubuntu kernels",
                    ranges=found,
                    aliases=(words(notice, "id"),),
                    url=f"https://ubuntu.com/security/notices/{words(notice, 'id')}",
                    published=day(words(notice, "published")),
                    sources=("ubuntu-lsn",),
                    layer="host",
                )
