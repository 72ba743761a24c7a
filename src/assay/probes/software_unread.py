"""Programs whose version could not be read: they may be there, so no check may overlook them."""

from collections.abc import Iterable, Iterator

from assay.kit.reading import Reading
from assay.kit.seen import Seen, Unread
from assay.model.facts.software import Software


def or_unread(
    seen: Seen,
    reading: Reading,
    components: Iterable[str],
    found: Iterator[Software],
    origin: str = "file",
) -> Iterator[Software]:
    """What is *found* in *reading*; where that fails, each of *components* without a version."""
    try:
        yield from found
    except Unread as reason:
        if seen.capture(reading) is not None:
            for component in components:
                yield Software(component, "", origin, detail=str(reason)[:200])
        raise


def lost(seen: Seen, component: str, known: frozenset[str] = frozenset()) -> Iterator[Software]:
    """*component* without a version for each file that was there and could not be read."""
    for path, why in seen.unreadable.items():
        if path not in known:
            yield Software(component, "", "file", path, why)
