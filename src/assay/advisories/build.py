"""Build the embedded database from a file of derived facts, one JSON object a line."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from assay.advisories import database
from assay.advisories.conditions import curated
from assay.advisories.database import Database, Source
from assay.advisories.records import BadRecord
from assay.model.advisory import Advisory, Range
from assay.model.evidence import digest
from assay.model.outcome import Severity

# Licences of the public sources that the facts were derived from.
LICENCES = {
    "linux-cna": ("https://git.kernel.org/pub/scm/linux/security/vulns.git", "CC0-1.0"),
    "linux_kernel_cves": ("https://github.com/nluedtke/linux_kernel_cves", "Apache-2.0"),
    "nvidia-csaf": ("https://github.com/NVIDIA/product-security", "NVIDIA terms of use"),
    "govulndb": ("https://vuln.go.dev/", "CC-BY-4.0"),
    "nvd-data-overrides": ("https://github.com/anchore/nvd-data-overrides", "CC0-1.0"),
    "vulnrichment": ("https://github.com/cisagov/vulnrichment", "CC0-1.0"),
    "cvelistv5-hand-read": ("https://github.com/CVEProject/cvelistV5", "CVE terms of use"),
    "slurm-changelog": ("https://github.com/SchedMD/slurm/tree/master/CHANGELOG", "facts only"),
    "glibc-advisories": ("https://sourceware.org/glibc/", "facts only"),
    "k8s-cve-feed-osv": ("https://kubernetes.io/docs/reference/issues-security/", "CC-BY-4.0"),
}
_DROPPED = {"upstream-versions-only: distro kernels backport"}  # true of the whole table


def from_facts(data: bytes, *, as_of: str = "") -> Database:
    """The database of a facts file; *as_of* is by default the newest date in it."""
    advisories = [record for line in data.splitlines() if line.strip() for record in [_line(line)]]
    if not advisories:
        raise BadRecord("the facts file is empty")
    newest = max(record.published for record in advisories)
    file_hash = digest(data)
    sources = [
        Source(
            id, *LICENCES.get(id, ("", "")), when=as_of or newest, sha256=file_hash,
            records=sum(id in record.sources for record in advisories),
        )
        for id in sorted({id for record in advisories for id in record.sources})
    ]  # fmt: skip
    return database.build(advisories, as_of=as_of or newest, sources=sources)


def _line(line: bytes) -> Advisory:
    try:
        given = json.loads(line)
        return curated(_advisory(given))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadRecord(f"cannot read {line[:80]!r}: {error}") from error


def _advisory(given: Mapping[str, Any]) -> Advisory:
    return Advisory(
        component=given["component"],
        id=given["cve"],
        title=given["title_in_own_words"],
        ranges=tuple(_range(row) for row in given["affected"]),
        severity=Severity(given["severity"]) if given["severity"] else None,
        cvss=given["cvss"],
        vector=given.get("cvss_vector") or "",
        aliases=tuple(given["aliases"]),
        url=_link(given["source_url"]),
        references=tuple(_link(link) for link in given.get("refs") or ()),
        published=given["published"] or "",
        exploited=given["kev"],
        exploited_since=given.get("kev_date_added") or "",
        sources=tuple(given["sources"]),
        flags=tuple(f for f in given.get("flags") or () if f not in _DROPPED),
        conditions=tuple(given.get("conditions") or ()),
        parts=tuple(given.get("parts") or ()),
        platforms=tuple(p for p in given["platforms"] if p != "linux"),
        nickname=given.get("nickname") or "",
        cwe=given.get("cwe") or "",
        layer=given["layer"],
        subsystems=tuple(given.get("subsystem") or ()),
        proofs=given.get("poc_reference_links") or 0,
    )


def _link(link: str) -> str:
    """Three records carry the scheme twice, and a few name a list archive without its s."""
    link = link.replace("https://https://", "https://")
    return link.replace("http://www.openwall.com/", "https://www.openwall.com/")


def _range(row: Mapping[str, Any]) -> Range:
    release = row.get("vgpu_release_fixed") or row.get("bundle_fixed") or row.get("fixed_full")
    return Range(
        introduced=row["introduced"] or "",
        fixed=row.get("fixed") or "",
        last_affected=row.get("last_affected") or "",
        below_major=row.get("below_major") or "",
        branch=row.get("branch") or "",
        inside=row["scope"] == "branch",
        only=_only(row),
        release=release or "",
        conditions=_strings(row.get("conditions")),
        backports=_strings(row.get("backport_branches")),
    )


def _only(row: Mapping[str, Any]) -> tuple[str, ...]:
    lines = row.get("product_lines") or row.get("devices") or ()
    every = {"datacenter", "workstation/consumer"}
    return () if every <= set(lines) else tuple(lines)  # all product lines is no restriction


def _strings(values: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(values or ())
