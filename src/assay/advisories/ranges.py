"""One version against the ranges of one advisory: pure arithmetic, no knowledge of hosts."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.advisories.versions import BadVersion, Version, parse
from assay.model.advisory import Range, State

_NUMBER = re.compile(r"\d+(?:\.\d+)*")


class Told(NamedTuple):
    """What the ranges say, why, and the version that fixes it."""

    state: State
    because: str
    fix: str = ""


NO_BOUND = "the source names no version that fixes it"


def spread(scheme: str, version: Version, rows: Sequence[Range]) -> Told:
    """Rows that hold for every version: affected in any of them is affected."""
    told = [one(scheme, version, row) for row in rows if row.bounded]
    if not told:
        return Told(State.UNKNOWN, NO_BOUND)
    for wanted in (State.AFFECTED, State.UNKNOWN, State.FIXED):
        for answer in told:
            if answer.state is wanted:
                return answer
    return told[0]


def one(scheme: str, version: Version, row: Range) -> Told:  # noqa: PLR0911 - a decision table
    """One row: introduced <= v < fixed."""
    if row.introduced and row.introduced != "0":
        early = version.before(parse(scheme, row.introduced))
        if early:
            return Told(State.NOT_AFFECTED, f"introduced in {row.introduced}", row.fixed)
        if early is None:
            return _open(version, row.introduced, row.fixed)
    if row.fixed or row.below_major:
        bound = row.fixed or row.below_major
        below = version.before(parse(scheme, bound))
        if below is None:
            return _open(version, bound, row.fixed)
        if below and row.fixed:
            return Told(State.AFFECTED, f"fixed in {row.fixed}", row.fixed)
        if below:
            return Told(State.AFFECTED, f"no release below {row.below_major} fixes it")
        return Told(State.FIXED, f"fixed since {bound}", row.fixed)
    last = parse(scheme, row.last_affected)
    above = last.before(version)
    if above is None and not version.same(last):
        return _open(version, row.last_affected, "")
    if above:
        return Told(State.FIXED, f"last affected was {row.last_affected}")
    return Told(State.AFFECTED, f"up to {row.last_affected}, no fixed release is named")


def _open(version: Version, bound: str, fix: str) -> Told:
    return Told(State.UNKNOWN, f"{version.text!r} does not tell whether it is before {bound}", fix)


def within(  # noqa: PLR0911 - a decision table
    scheme: str, version: Version, rows: Sequence[Range]
) -> Told | None:
    """Rows of branches, for versions whose scheme knows their branch: compare in it only.

    None when no row is of the installed branch: then its place among the branches decides.
    """
    mine = [row for row in rows if branch_of(scheme, row) == version.branch]
    if not mine:
        return None
    fixed = [row for row in mine if row.fixed]
    if not fixed:
        begun = [row for row in mine if not _before(scheme, version, row.introduced)]
        if not begun:
            return Told(State.NOT_AFFECTED, f"introduced in {mine[0].introduced}")
        return Told(State.UNASSESSED, f"no fix is listed for branch {version.branch}")
    # several fix commits may reach one branch: only the last one closes it
    last = max(fixed, key=lambda row: parse(scheme, row.fixed).low)
    if all(row.introduced and _before(scheme, version, row.introduced) for row in mine):
        return Told(State.NOT_AFFECTED, f"introduced in {last.introduced}", last.fixed)
    below = version.before(parse(scheme, last.fixed))
    if below is None:
        return _open(version, last.fixed, last.fixed)
    if below:
        return Told(State.AFFECTED, f"fixed in {last.fixed}", last.fixed)
    return Told(State.FIXED, f"fixed since {last.fixed}", last.fixed)


def _before(scheme: str, version: Version, text: str) -> bool:
    return bool(text and text != "0" and version.before(parse(scheme, text)))


def branch_of(scheme: str, row: Range) -> str:
    """The branch that a row speaks of, in the scheme's own words."""
    if scheme == "connectx":
        found = re.search(r"\.(\d{2})(?!\d)", row.branch)  # "xx.35 (LTS22)"
        return found.group(1) if found else ""
    if scheme == "kernel" and row.branch == "mainline":
        return parse(scheme, row.fixed).branch if row.fixed else ""
    return row.branch


def labelled(  # noqa: PLR0911 - a decision table
    scheme: str, version: Version, rows: Sequence[Range], variant: str, named: str = ""
) -> Told:
    """Rows of products or of release lines that only a label tells apart.

    Where it is not known which row is meant, only an answer on which all agree counts; where
    products count apart (``named`` is ``must``), not even that.
    """
    every = ", ".join(dict.fromkeys(row.branch for row in rows))
    if variant:
        mine = [row for row in rows if _label(row.branch) == _label(variant)]
        if not mine:
            return Told(State.UNKNOWN, f"the advisory names {every}, not {variant}")
        return spread(scheme, version, mine)
    if named == "must":
        return Told(State.UNKNOWN, f"products count apart ({every}), and which it is is not known")
    mine = [] if named else [row for row in rows if _in_line(scheme, version, row)]
    told = [one(scheme, version, row) for row in (mine or rows) if row.bounded]
    states = {answer.state for answer in told}
    if mine and State.AFFECTED in states:
        return next(answer for answer in told if answer.state is State.AFFECTED)
    if len(states) == 1:  # whichever product it is: the last of their fixes clears them all
        fixes = [answer for answer in told if answer.fix]
        return max(fixes, key=lambda a: parse(scheme, a.fix).low) if fixes else told[0]
    if not told:
        return Told(State.UNKNOWN, NO_BOUND)
    return Told(State.UNKNOWN, f"it depends on the product ({every}), which is not known")


def _label(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _in_line(scheme: str, version: Version, row: Range) -> bool:
    """Is this the row of the version's own release line ("OFED 24.10", "4.5-LTS")?"""
    number = _NUMBER.search(row.branch)
    if number and version.text.lstrip("vV").startswith(number.group()):
        rest = version.text.lstrip("vV")[len(number.group()) :]
        return not rest[:1].isdigit()
    if row.introduced and row.introduced != "0":
        return not _before(scheme, version, row.introduced) and _before(scheme, version, row.fixed)
    if number is None and row.fixed:
        try:
            return bool(parse(scheme, row.fixed).order == version.order)
        except BadVersion:
            return False
    return False


def older(scheme: str, version: Version, rows: Sequence[Range]) -> bool | None:
    """Is the installed branch older than the newest branch that the advisory lists?"""
    orders: list[Any] = []
    for row in rows:
        if row.fixed:
            orders.append(parse(scheme, row.fixed).order)
        elif row.introduced and row.introduced != "0":
            orders.append(parse(scheme, row.introduced).order)
    return None if not orders else bool(version.order < max(orders))
