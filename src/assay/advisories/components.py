"""Components: what the field calls them, how they count versions, which packages bring them."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

GROUPS = (
    "driver", "cuda", "kernel", "runtime", "toolkit", "kubernetes", "scheduler", "system",
    "fabric", "firmware", "workload",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Component:
    """One component. ``upgrade`` is where its releases are; ``product`` its name in lifecycles.

    Where the rows of an advisory differ by product, ``named`` says what an unknown product means:
    with ``agree`` only an answer on which all rows agree counts, with ``must`` the products count
    apart and nothing compares. A ``closed`` component has no source to backport into: a
    distribution's package of it carries the vendor's own number.
    """

    name: str
    group: str = "workload"
    scheme: str = "loose"
    aliases: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()  # binary or source package names, dpkg and rpm
    patterns: tuple[str, ...] = ()  # families of package names with a version in the name
    upgrade: str = ""
    product: str = ""
    named: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    by_name: Mapping[str, Component]
    by_alias: Mapping[str, Component] = field(repr=False)
    by_package: Mapping[str, Component] = field(repr=False)
    patterns: tuple[tuple[re.Pattern[str], Component], ...] = field(repr=False)


@cache
def _table() -> _Table:
    text = (files("assay.advisories.data") / "components.toml").read_text("utf-8")
    by_name = {}
    for name, given in tomllib.loads(text).items():
        lists: dict[str, Any] = {
            key: tuple(v) if isinstance(v, list) else v for key, v in given.items()
        }
        lists.setdefault("product", name)
        if lists.get("scheme") == "go":
            lists.setdefault("packages", (name,))
        by_name[name] = Component(name, **lists)
    found = by_name.values()
    return _Table(
        by_name,
        {alias: c for c in found for alias in (c.name, *c.aliases)},
        {package: c for c in found for package in c.packages},
        tuple((re.compile(pattern), c) for c in found for pattern in c.patterns),
    )


@cache
def component(name: str) -> Component:
    """The component called *name*, or a new one of that name that counts loosely."""
    return _table().by_name.get(name) or Component(name)


def listed() -> tuple[Component, ...]:
    """Every component that is described here."""
    return tuple(_table().by_name.values())


@cache
def canonical(name: str) -> str:
    """The database's name for what people call *name*.

    >>> canonical("Docker"), canonical("linux"), canonical("driver"), canonical("runc")
    ('docker-engine', 'linux-kernel', 'nvidia-driver', 'runc')
    """
    plain = name.strip().lower()
    key = re.sub(r"[\s_]+", "-", plain)
    found = _table().by_alias.get(key) or _table().by_alias.get(plain)
    return found.name if found else key


@cache
def of_package(name: str, source: str = "") -> str:
    """The component that a package brings, or ``""``; its source package decides first."""
    for candidate in (source, name):
        if candidate in _table().by_package:
            return _table().by_package[candidate].name
    for pattern, found in _table().patterns:
        if pattern.fullmatch(name) or (source and pattern.fullmatch(source)):
            return found.name
    return ""
