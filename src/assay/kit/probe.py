"""Declare a probe: what to read on a node, and what it means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from assay.kit.annotations import gives
from assay.kit.reading import Reading
from assay.kit.seen import Seen
from assay.model.fact import Fact

F = TypeVar("F", bound=Fact)


@dataclass(frozen=True, slots=True)
class Probe:
    """A reading list for a node and the pure function that understands the answers."""

    id: str
    summary: str
    reads: tuple[Reading, ...]
    gives: tuple[type[Fact], ...]
    parse: Callable[[Seen], Iterator[Any]]


registry: dict[str, Probe] = {}


def probe(
    id: str, *, reads: Sequence[Reading]
) -> Callable[[Callable[[Seen], Iterator[F]]], Callable[[Seen], Iterator[F]]]:
    """Register the decorated parser under *id* with all that it may read.

    The parser raises :class:`assay.kit.seen.Unread` for whatever it cannot make sense of, and
    yields nothing when it read that there is nothing. What it gives is in its annotation.
    """

    def register(parse: Callable[[Seen], Iterator[F]]) -> Callable[[Seen], Iterator[F]]:
        if id in registry:
            raise ValueError(f"two probes are called {id!r}")
        summary = (parse.__doc__ or "").strip().split("\n")[0]
        registry[id] = Probe(id, summary, tuple(reads), gives(parse), parse)
        return parse

    return register
