"""Read a declaration's inputs and outputs from its type annotations."""

import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from assay.model.fact import Fact, Fleet


@dataclass(frozen=True, slots=True)
class Need:
    """One parameter of a check: which facts, over the fleet or per node, and may they be unread?"""

    kind: type[Fact]
    fleet: bool = False
    optional: bool = False


def _kinds(annotation: object) -> tuple[type[Fact], ...]:
    options = get_args(annotation) if _is_union(annotation) else (annotation,)
    for kind in options:
        if not (isinstance(kind, type) and issubclass(kind, Fact)):
            raise TypeError(f"{kind!r} is not a kind of Fact")
    return tuple(options)


def _is_union(annotation: object) -> bool:
    return get_origin(annotation) in (Union, types.UnionType)


def needs(function: Callable[..., Any]) -> dict[str, Need]:
    """``Sequence[X]`` per node, ``Fleet[X]`` over all nodes, ``Sequence[X] | None`` if it helps."""
    hints = get_type_hints(function)
    hints.pop("return", None)
    return {name: _need(hint) for name, hint in hints.items()}


def _need(hint: object) -> Need:
    optional = False
    if _is_union(hint):
        rest = [option for option in get_args(hint) if option is not type(None)]
        if len(rest) != 1:
            raise TypeError(f"expected Sequence[...] | None, got {hint!r}")
        (hint,), optional = rest, True
    origin = get_origin(hint)
    if origin not in (Sequence, Fleet):
        raise TypeError(f"expected Sequence[...] or Fleet[...] of facts, got {hint!r}")
    (kind,) = _kinds(get_args(hint)[0])
    return Need(kind, fleet=origin is Fleet, optional=optional)


def gives(function: Callable[..., Any]) -> tuple[type[Fact], ...]:
    """``Iterator[A | B]`` gives facts of the kinds A and B."""
    hint = get_type_hints(function)["return"]
    if get_origin(hint) is not Iterator:
        raise TypeError(f"expected Iterator[...] of facts, got {hint!r}")
    return _kinds(get_args(hint)[0])
