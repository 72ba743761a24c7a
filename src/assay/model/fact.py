"""Facts: what the evidence of one node means, in the field's own units.

A fact does not name its node: equal evidence is understood and judged once, however many nodes
gave it. ``None`` in a field means "this source did not say", never zero and never "fine".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar


class Fact:
    """Something true of one node when we looked. Each kind is a frozen dataclass of its own.

    ``whole`` kinds list every member (all accelerators, all mounts): when one of several probes
    of such a kind could not be read, every check of it says so. Other kinds are collections in
    which a check looks for single members (software, settings): there an unread probe matters
    only to a check that found nothing to judge.
    """

    __slots__ = ()
    whole: ClassVar[bool] = True


F = TypeVar("F", bound=Fact)


@dataclass(frozen=True, slots=True)
class Group(Generic[F]):
    """Nodes that answered alike, with the facts that they share."""

    nodes: tuple[str, ...]
    facts: tuple[F, ...]


@dataclass(frozen=True, slots=True)
class Fleet(Generic[F]):
    """One kind of fact over all nodes that gave it, as groups of equal answers."""

    groups: Sequence[Group[F]]

    def __iter__(self) -> Iterator[Group[F]]:
        return iter(self.groups)

    @property
    def nodes(self) -> int:
        """How many nodes answered."""
        return sum(len(group.nodes) for group in self.groups)
