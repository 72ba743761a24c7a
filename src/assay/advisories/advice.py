"""Advice: what to upgrade to, what that clears, how long the fix has been out."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from assay.advisories.components import component
from assay.advisories.database import Database
from assay.advisories.host import NOTHING, Host
from assay.advisories.matching import Answer, match
from assay.advisories.records import scheme_of
from assay.advisories.versions import BadVersion, parse
from assay.model.advisory import Advisory, Assessment, Installed, Origin, State, Upgrade
from assay.model.outcome import Severity

# Days that operators get: CISA BOD 22-01 for known exploited, BOD 19-02 for critical and high.
_GRACE_EXPLOITED = 14
_GRACE = {Severity.CRITICAL: 15, Severity.HIGH: 30}
_GRACE_UNRATED = 30
_MOST_STEPS = 8  # from one release line to the next; real ladders have two or three
_GRACE_OTHERS = 90  # our own: one maintenance window a quarter


def grace_days(advisory: Advisory) -> int:
    """How long after the fix an upgrade may take."""
    if advisory.exploited:
        return _GRACE_EXPLOITED
    if advisory.severity is None:
        return _GRACE_UNRATED
    return _GRACE.get(advisory.severity, _GRACE_OTHERS)


def due(advisory: Advisory) -> date | None:
    """The last day of grace; None where no source dates the fix."""
    start = advisory.exploited_since if advisory.exploited else ""
    shipped = start or advisory.published
    if not shipped:
        return None
    return date.fromisoformat(shipped) + timedelta(days=grace_days(advisory))


def overdue(found: Iterable[Assessment], today: date) -> bool:
    """True when any of them has had its grace, or has no date to count from."""
    return any((last := due(a.advisory)) is None or last < today for a in found)


def upgrade(database: Database, answer: Answer, host: Host = NOTHING) -> Upgrade | None:
    """The smallest version that clears everything; None when nothing needs clearing.

    Whatever clears a range that holds the installed version is at or above its end: so the
    largest end is tried, and from there on whatever still affects that.
    """
    affected = answer.affected
    if not affected:
        return None
    installed = answer.installed
    to, at = "", answer
    for _ in range(_MOST_STEPS):
        further = _largest_fix(at.affected)
        if not further or further == to:
            break
        to, at = further, match(database, upgraded(installed, further), host)
        if at.unread or not at.affected:
            break
    still = {a.advisory.id for a in at.affected} if to else {a.advisory.id for a in affected}
    return Upgrade(
        installed,
        "" if at.unread else to,
        tuple(a for a in affected if a.advisory.id not in still),
        tuple(a for a in affected if a.advisory.id in still),
    )


def _largest_fix(affected: Sequence[Assessment]) -> str:
    """The largest fixed version that the advisories name."""
    found: list[tuple[Any, str]] = []
    for one in affected:
        if one.fix:
            try:
                found.append((parse(scheme_of(one.advisory.component), one.fix).low, one.fix))
            except BadVersion:
                continue
    try:
        return max(found, key=lambda pair: pair[0])[1] if found else ""
    except TypeError:  # keys of two schemes do not order
        return found[-1][1]


def upgraded(installed: Installed, version: str) -> Installed:
    """*installed* as it would be with *version*."""
    if installed.component == "linux-kernel" and installed.distro.startswith("ubuntu"):
        return replace(installed, source_version=version)
    return replace(installed, version=version, source_version=version)


def verdict_words(answer: Answer) -> str:
    """What came out for the advisories that do not need an upgrade."""
    counts = answer.counts
    words = []
    cleared = counts.get(State.FIXED, 0) + counts.get(State.BACKPORTED, 0)
    if cleared:
        words.append(f"{cleared} fixed")
    if proven := counts.get(State.BACKPORTED, 0):
        words[-1] += f" ({proven} by a proven backport)"
    if apart := counts.get(State.NOT_AFFECTED, 0):
        words.append(f"{apart} do not concern it")
    return ", ".join(words) or "none judged"


def cleared_words(answer: Answer) -> str:
    """That nothing applies, of how many advisories, and how many could not be compared."""
    silent = len(answer.boundless)
    words = f"none of {len(answer.assessments) - silent} advisories applies"
    words += f" ({verdict_words(answer)})"
    return words + (f", {silent} more name no version that fixes them" if silent else "")


def name_of(installed: Installed) -> str:
    """How findings name a thing: component, and where it was seen if that tells more."""
    shown = component(installed.component).name
    return f"{shown} ({installed.where})" if installed.where else shown


def shown_version(installed: Installed) -> str:
    """The version as the host gives it."""
    return installed.source_version if installed.origin is Origin.DISTRO else installed.version
