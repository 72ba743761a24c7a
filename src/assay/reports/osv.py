"""The advisory database as OSV documents, for tools that read them."""

from collections.abc import Iterable, Iterator
from typing import Any

from assay.advisories import records
from assay.advisories.database import Database
from assay.advisories.records import scheme_of
from assay.model.advisory import Advisory, Range

SCHEMA = "1.6.7"
_ECOSYSTEMS = {"go": "Go", "deb": "Debian", "rpm": "Red Hat"}


def documents(database: Database) -> Iterator[dict[str, Any]]:
    """One document a record. Our own id, with the CVE as an alias, so that nothing collides."""
    for record in database.all():
        yield document(record, database.as_of)


def document(record: Advisory, as_of: str) -> dict[str, Any]:
    """One record in OSV form. Branches of firmware and drivers stand in database_specific."""
    found: dict[str, Any] = {
        "schema_version": SCHEMA,
        "id": f"ASSAY-{record.id}-{record.component.replace('/', '-')}",
        "aliases": [record.id, *record.aliases],
        "modified": f"{as_of}T00:00:00Z",
        "summary": record.title,
        "affected": list(_affected(record)),
        "references": [{"type": "ADVISORY", "url": record.url}]
        + [{"type": "WEB", "url": link} for link in record.references],
        "database_specific": {
            "sha256": records.sha256(record),
            "sources": list(record.sources),
            "known_exploited": record.exploited,
            "conditions": list(record.conditions),
        },
    }
    if record.published:
        found["published"] = f"{record.published}T00:00:00Z"
    if record.vector.startswith("CVSS:"):
        kind = "CVSS_V4" if record.vector.startswith("CVSS:4") else "CVSS_V3"
        found["severity"] = [{"type": kind, "score": record.vector}]
    return found


def _affected(record: Advisory) -> Iterator[dict[str, Any]]:
    scheme = scheme_of(record.component)
    for row in record.ranges:
        entry: dict[str, Any] = {
            "package": {"ecosystem": _ECOSYSTEMS.get(scheme, "Linux"), "name": record.component},
            "ranges": [{"type": "ECOSYSTEM", "events": list(_events(row))}],
            "database_specific": {"scheme": scheme},
        }
        if row.branch:
            entry["database_specific"] |= {"branch": row.branch, "inside_branch_only": row.inside}
        if row.only:
            entry["database_specific"]["only"] = list(row.only)
        yield entry


def _events(row: Range) -> Iterable[dict[str, str]]:
    yield {"introduced": row.introduced or "0"}
    if row.fixed or row.below_major:
        yield {"fixed": row.fixed or row.below_major}
    elif row.last_affected:
        yield {"last_affected": row.last_affected}
