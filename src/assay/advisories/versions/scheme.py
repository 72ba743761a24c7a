"""What a scheme gives: an ordered key, the branch that a version belongs to, and the device."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

LONGEST = 128  # no real version is longer; a parser need not look at more


class BadVersion(ValueError):
    """A text that the scheme does not accept as a version."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version known to lie in [low, high] (mostly the same); keys order within one scheme.

    ``branch`` is the line in which vendors compare (``R580``, ``6.6``, ``43``), ``order`` its
    place among branches. ``device`` is what the number itself says about the hardware.
    """

    text: str
    low: Any
    high: Any
    branch: str = ""
    order: Any = None
    device: str = ""

    def before(self, bound: "Version") -> bool | None:
        """Is this version below *bound*? None when what is known of it does not tell.

        A bound that says less than it could ("24.05") means the first version that it covers.
        """
        if self.high < bound.low:
            return True
        if not self.low < bound.low:
            return False
        return None

    def same(self, other: "Version") -> bool:
        """Equal as far as both tell."""
        return bool(self.low == other.low and self.high == other.high)


def exact(text: str, key: Any, *, branch: str = "", order: Any = None, device: str = "") -> Version:
    """A version of which everything is known."""
    return Version(text, key, key, branch, order, device)


@dataclass(frozen=True, slots=True)
class Scheme:
    """One way of counting: its name and the parser of its versions."""

    name: str
    parse: Callable[[str], Version]


@cache
def scheme(name: str) -> Scheme:
    """The scheme called *name*; its module is loaded when somebody asks."""
    module = importlib.import_module(f"assay.advisories.versions.{name}")
    return Scheme(name, module.parse)


@lru_cache(maxsize=65536)
def _parsed(name: str, text: str) -> Version | BadVersion:
    try:
        return scheme(name).parse(text)
    except BadVersion as bad:
        return bad


def parse(name: str, text: str) -> Version:
    """*text* as a version of the scheme called *name*, or BadVersion."""
    text = text.strip()
    if not text or len(text) > LONGEST or not (text.isascii() and text.isprintable()):
        raise BadVersion(f"{text[:40]!r} is no version")
    found = _parsed(name, text)
    if isinstance(found, BadVersion):
        raise BadVersion(*found.args)
    return found
