"""Declare a check: a question about facts that every subject answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from assay.kit.annotations import Need, needs
from assay.kit.plant import Plant
from assay.model.finding import Verdict
from assay.model.outcome import Severity

C = TypeVar("C", bound=Callable[..., Iterator[Verdict]])


@dataclass(frozen=True, slots=True)
class Check:
    """A question, why it matters, how to put it right, and the function that answers it.

    ``reproduce`` is a command that shows the observation by hand. ``source`` says where the rule
    or its numbers come from when ``see`` does not.
    """

    id: str
    asks: str
    severity: Severity
    why: str
    fix: str
    see: tuple[str, ...]
    reproduce: str
    plants: tuple[Plant, ...]
    needs: Mapping[str, Need]
    judge: Callable[..., Iterator[Any]]

    @property
    def area(self) -> str:
        """The part of the id before the dot."""
        return self.id.partition(".")[0]

    @property
    def fleet(self) -> bool:
        """True when the check compares nodes with each other."""
        return any(need.fleet for need in self.needs.values())


registry: dict[str, Check] = {}


def check(
    id: str,
    *,
    asks: str,
    severity: Severity,
    why: str,
    fix: str,
    see: Sequence[str],
    reproduce: str,
    plants: Sequence[Plant],
) -> Callable[[C], C]:
    """Register the decorated function as the judge of *asks*.

    Its parameters say what it needs: ``Sequence[Kind]`` for the facts of one node (it is never
    called when they could not be read: that is UNKNOWN already), ``Sequence[Kind] | None`` for
    facts that it can do without, ``Fleet[Kind]`` to compare nodes. It yields one verdict for
    every subject; none at all means not applicable.
    """

    def register(judge: C) -> C:
        if id in registry:
            raise ValueError(f"two checks are called {id!r}")
        registry[id] = Check(
            id, asks, severity, why, fix, tuple(see), reproduce, tuple(plants), needs(judge), judge
        )
        return judge

    return register
