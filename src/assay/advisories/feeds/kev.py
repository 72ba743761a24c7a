"""CISA's list of known exploited vulnerabilities."""

from collections.abc import Iterator

from assay.advisories.feeds.feed import BadFeed, Exploited, document, feed, rows, words


@feed(
    "cisa-kev",
    urls=("https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json",),
    licence="CC0-1.0",
)
def parse(data: bytes, name: str = "") -> Iterator[Exploited]:
    """Vulnerabilities that are known to be exploited, with the day on which CISA listed them."""
    given = document(data, "the KEV catalogue")
    listed = rows(given, "vulnerabilities")
    if not listed or given.get("count") not in (None, len(listed)):
        raise BadFeed(f"the KEV catalogue counts {given.get('count')}, it has {len(listed)}")
    for row in listed:
        id, since = words(row, "cveID"), words(row, "dateAdded")
        if not id.startswith("CVE-") or not since:
            raise BadFeed(f"a row of the KEV catalogue has no id or date: {row!r:.80}")
        yield Exploited(id, since)
