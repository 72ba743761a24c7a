"""OSV documents: what Go's database, Ubuntu and others have in common."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.advisories.feeds.feed import BadFeed, rows, texts, words
from assay.model.advisory import Range


def ranges(affected: Mapping[str, Any], *, branch: str = "") -> Iterator[Range]:
    """The version ranges of one ``affected`` entry: pairs of introduced and fixed events."""
    for row in rows(affected, "ranges"):
        if words(row, "type") not in ("SEMVER", "ECOSYSTEM"):
            continue  # GIT ranges name commits
        introduced: str | None = None
        for event in rows(row, "events"):
            if "introduced" in event:
                if introduced is not None:
                    yield _range(introduced, branch=branch)
                introduced = str(event["introduced"])
            elif "fixed" in event or "last_affected" in event:
                if introduced is None:
                    raise BadFeed("a range ends before it begins")
                yield _range(
                    introduced, str(event.get("fixed", "")), str(event.get("last_affected", "")),
                    branch=branch,
                )  # fmt: skip
                introduced = None
        if introduced is not None:
            yield _range(introduced, branch=branch)


def _range(introduced: str, fixed: str = "", last: str = "", *, branch: str = "") -> Range:
    start = "" if introduced in ("0", "0.0.0") else introduced
    return Range(start, fixed, last, branch=branch, inside=bool(branch))


def links(given: Mapping[str, Any], *kinds: str) -> tuple[str, ...]:
    """The https links of the kinds asked for."""
    found = [words(row, "url") for row in rows(given, "references") if words(row, "type") in kinds]
    return tuple(dict.fromkeys(link for link in found if link.startswith("https://")))


def cve_of(given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The id to use (a CVE where there is one) and the other names."""
    id = words(given, "id")
    if not id:
        raise BadFeed("an OSV document has no id")
    names = [id, *texts(given, "aliases"), *texts(given, "upstream")]
    cve = next((name for name in names if name.startswith("CVE-")), id)
    return cve, tuple(dict.fromkeys(name for name in names if name != cve))
