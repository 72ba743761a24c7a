"""What a feed declares: where it is, under which licence, and how one document of it reads."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.model.advisory import Advisory


class BadFeed(ValueError):
    """A document that is not what the feed says it is. The old records stay in use."""


@dataclass(frozen=True, slots=True)
class Exploited:
    """CISA lists a vulnerability as exploited, since *since* (ISO date)."""

    id: str
    since: str


Found = Advisory | Exploited


@dataclass(frozen=True, slots=True)
class Feed:
    """One public source. ``members`` picks the documents inside an archive by their path.

    ``distributions`` marks feeds whose licence or size keeps them out of what Assay ships: they
    are fetched at a refresh only.
    """

    id: str
    summary: str
    urls: tuple[str, ...]
    licence: str
    parse: Callable[[bytes, str], Iterable[Found]]
    members: re.Pattern[str] | None = None
    refresh_only: bool = False


registry: dict[str, Feed] = {}


def feed(
    id: str, *, urls: tuple[str, ...], licence: str, members: str = "", refresh_only: bool = False
) -> Callable[[Callable[[bytes, str], Iterable[Found]]], Callable[[bytes, str], Iterable[Found]]]:
    """Register the decorated adapter as the reader of feed *id*."""

    def register(
        parse: Callable[[bytes, str], Iterable[Found]],
    ) -> Callable[[bytes, str], Iterable[Found]]:
        if id in registry:
            raise ValueError(f"two feeds are called {id!r}")
        summary = (parse.__doc__ or "").strip().split("\n")[0]
        pattern = re.compile(members) if members else None
        registry[id] = Feed(id, summary, urls, licence, parse, pattern, refresh_only)
        return parse

    return register


def document(data: bytes, what: str) -> dict[str, Any]:
    """The JSON object in *data*, or BadFeed."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadFeed(f"{what} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadFeed(f"{what} is not a JSON object")
    return found


def rows(given: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The list of objects under *key*; absent is none, anything else is BadFeed."""
    found = given.get(key, [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise BadFeed(f"{key!r} is not a list of objects")
    return found


def inner(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under *key*; absent is an empty one, anything else is BadFeed."""
    found = given.get(key)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadFeed(f"{key!r} is not an object")
    return found


def texts(given: Mapping[str, Any], key: str) -> list[str]:
    """The list of texts under *key*; absent is none, anything else is BadFeed."""
    found = given.get(key)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise BadFeed(f"{key!r} is not a list of texts")
    return found


def words(given: Mapping[str, Any], key: str) -> str:
    """The text under *key*, or ``""``."""
    found = given.get(key)
    return found.strip() if isinstance(found, str) else ""


def day(stamp: str) -> str:
    """The date in an RFC 3339 stamp, or ``""``."""
    return stamp[:10] if re.match(r"\d{4}-\d\d-\d\d", stamp) else ""
