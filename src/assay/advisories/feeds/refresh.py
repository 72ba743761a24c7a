"""Refresh: what the feeds say now, merged into what we have, or refused.

A feed never makes the database poorer: a component that would lose records, a record that fails
validation, a document that does not read: refused as a whole, and the old database stays.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from assay.advisories import database, feeds, records
from assay.advisories.conditions import curated
from assay.advisories.database import Database, Source
from assay.advisories.feeds.feed import BadFeed, Exploited, Feed, Found, registry
from assay.model.advisory import Advisory


class Refused(ValueError):
    """A refresh that would leave us with less, or with something that cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one feed gave: its records and where, when and which bytes they came from."""

    feed: Feed
    found: tuple[Found, ...]
    url: str
    when: str
    sha256: str


@cache
def all_feeds() -> Mapping[str, Feed]:
    """Every feed that has an adapter here."""
    for module in pkgutil.iter_modules(feeds.__path__, feeds.__name__ + "."):
        importlib.import_module(module.name)
    return dict(sorted(registry.items()))


def read(feed: Feed, documents: Iterable[tuple[str, bytes]]) -> tuple[Found, ...]:
    """All records of all documents of a feed. One that does not read refuses them all."""
    found: list[Found] = []
    for name, data in documents:
        try:
            found.extend(feed.parse(data, name))
        except BadFeed as error:
            raise BadFeed(f"{feed.id}: {name}: {error}") from error
    if not found:
        raise BadFeed(f"{feed.id} gave no record at all")
    return tuple(found)


def merge(old: Database, fetched: Iterable[Fetched], *, as_of: str) -> Database:
    """A new database: *old* with what the feeds said."""
    by_key = {(record.component, record.id): record for record in old.all()}
    before = {name: old.count(name) for name in old.components}
    sources = {source.id: source for source in old.sources}
    for part in fetched:
        new = _joined(record for record in part.found if isinstance(record, Advisory))
        for record in new:
            records.validate(record)
            key = (record.component, record.id)
            by_key[key] = curated(_merged(by_key.get(key), record))
        for listed in part.found:
            if isinstance(listed, Exploited):
                _mark(by_key, listed)
        sources[part.feed.id] = Source(
            part.feed.id, part.url, part.feed.licence, part.when, part.sha256, len(part.found)
        )
    built = database.build(by_key.values(), as_of=as_of, sources=list(sources.values()))
    refuse_shrinking(before, built)
    return built


def refuse_shrinking(before: Mapping[str, int], new: Database) -> None:
    """No component may have fewer records than it had."""
    lost = [f"{name} ({had} to {new.count(name)})" for name, had in before.items()
            if new.count(name) < had]  # fmt: skip
    if lost:
        raise Refused(f"the new database has fewer records of {', '.join(lost)}")


def _joined(found: Iterable[Advisory]) -> list[Advisory]:
    """Several documents may speak of one CVE (a changelog for each series): one record."""
    joined: dict[tuple[str, str], Advisory] = {}
    for record in found:
        key = (record.component, record.id)
        first = joined.setdefault(key, record)
        if first is not record:
            ranges = tuple(dict.fromkeys(first.ranges + record.ranges))
            joined[key] = replace(first, ranges=ranges)
    return list(joined.values())


def _merged(old: Advisory | None, new: Advisory) -> Advisory:
    """What only the old record knows stays. A source may correct its own ranges, but not to less;
    ranges of another source are taken only where there were none to compare with.
    """
    if old is None:
        return new
    had = sum(row.bounded for row in old.ranges)
    says = sum(row.bounded for row in new.ranges)
    own = bool(set(new.sources) & set(old.sources))
    return replace(
        old,
        ranges=new.ranges if (own and says >= had) or not had else old.ranges,
        severity=new.severity or old.severity,
        cvss=new.cvss if new.cvss is not None else old.cvss,
        vector=new.vector or old.vector,
        aliases=tuple(dict.fromkeys(old.aliases + new.aliases)),
        references=tuple(dict.fromkeys(old.references + new.references)),
        published=old.published or new.published,
        sources=tuple(dict.fromkeys(old.sources + new.sources)),
        conditions=tuple(dict.fromkeys(old.conditions + new.conditions)),
    )


def _mark(by_key: dict[tuple[str, str], Advisory], listed: Exploited) -> None:
    for key, record in by_key.items():
        if key[1] == listed.id and not record.exploited:
            by_key[key] = replace(record, exploited=True, exploited_since=listed.since)
