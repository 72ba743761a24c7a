"""Currency: does anybody still fix this branch? Drivers, kernels, distributions, schedulers.

A branch past its end of life gets no advisories any more, so "no advisory" means nothing there.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from assay.model.advisory import Lifecycle

WARN_DAYS = 90  # an upgrade of a cluster's base software takes about a quarter


@dataclass(frozen=True, slots=True)
class Lifecycles:
    """Every known end of life, by product and cycle, and the day that the table is of."""

    as_of: str
    of: Mapping[tuple[str, str], Lifecycle]

    def find(self, product: str, *cycles: str) -> Lifecycle | None:
        """The first of *cycles* that is listed, from the narrowest to the widest."""
        return next((f for c in cycles if (f := self.of.get((product, c)))), None)

    def living(self, product: str, today: date) -> tuple[Lifecycle, ...]:
        """Cycles of *product* that still get fixes, the longest-lived last."""
        alive = [
            cycle
            for (name, _), cycle in self.of.items()
            if name == product and not ended(cycle, today)
        ]
        return tuple(sorted(alive, key=lambda cycle: cycle.ends or "9"))


@cache
def embedded() -> Lifecycles:
    """The lifecycles that came with this version of Assay."""
    return parse((files("assay.advisories.data") / "lifecycles.toml").read_text("utf-8"))


def parse(text: str) -> Lifecycles:
    """Read the table; a date that is none is a ValueError."""
    given = tomllib.loads(text)
    as_of = given.pop("as_of")
    found = {}
    for product, table in given.items():
        for cycle, ends in table["cycles"].items():
            if ends:
                date.fromisoformat(ends)
            found[product, cycle] = Lifecycle(product, cycle, ends, table["source"])
    return Lifecycles(as_of.isoformat(), found)


def ended(cycle: Lifecycle, today: date) -> bool:
    """True when the last day of support has passed."""
    return bool(cycle.ends) and date.fromisoformat(cycle.ends) < today


def ending(cycle: Lifecycle, today: date) -> bool:
    """True when support ends within a quarter."""
    return bool(cycle.ends) and 0 <= (date.fromisoformat(cycle.ends) - today).days <= WARN_DAYS


def of_distribution(id: str, version: str) -> Lifecycle | None:
    """The lifecycle of an os-release: ``ubuntu`` ``24.04``, ``rocky`` ``9.4``."""
    major = version.partition(".")[0]
    return embedded().find(id, version, ".".join(version.split(".")[:2]), major)
