"""Matching: one installed thing against every advisory of its component.

The rules, in this order: a version that its scheme does not accept is unknown; a distribution's
build is judged by the distribution's records, then by its changelog, and never found affected by
the upstream number alone; conditions that are known not to hold clear; branches compare inside.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.advisories import currency, distro, kernels
from assay.advisories.components import component
from assay.advisories.conditions import broken, unseen
from assay.advisories.database import Database
from assay.advisories.host import NOTHING, Host
from assay.advisories.ranges import NO_BOUND, Told, labelled, older, spread, within
from assay.advisories.records import scheme_of
from assay.advisories.versions import BadVersion, Version, connectx, driver, parse, vgpu
from assay.model.advisory import Advisory, Assessment, Installed, Origin, Range, State

_PLAIN_LABELS = frozenset({"loose", "go", "cuda", "slurm", "hpcsdk"})


@dataclass(frozen=True, slots=True)
class Answer:
    """All that the database says about one installed thing. ``unread`` replaces everything."""

    installed: Installed
    assessments: tuple[Assessment, ...]
    unread: str = ""

    def of(self, *states: State) -> tuple[Assessment, ...]:
        """Assessments in one of *states*."""
        return tuple(a for a in self.assessments if a.state in states)

    @property
    def counts(self) -> Mapping[State, int]:
        """How many advisories came out how."""
        return Counter(a.state for a in self.assessments)

    @property
    def open(self) -> tuple[Assessment, ...]:
        """What cannot be told here: unverified builds, branches that nobody assessed."""
        found = self.of(State.UNKNOWN, State.UNASSESSED)
        return tuple(a for a in found if a.because != NO_BOUND)

    @property
    def boundless(self) -> tuple[Assessment, ...]:
        """Advisories whose source names no version: never a finding by themselves."""
        return tuple(a for a in self.of(State.UNKNOWN) if a.because == NO_BOUND)

    @property
    def clear(self) -> bool:
        """Nothing applies, nothing is open, and most advisories could be compared at all."""
        compared = len(self.assessments) - len(self.boundless)
        doubtful = self.unread or self.affected or self.open
        return not doubtful and (compared >= len(self.boundless) or not self.assessments)

    @property
    def affected(self) -> tuple[Assessment, ...]:
        """What is vulnerable: known exploited first, then by severity and score."""
        return tuple(sorted(self.of(State.AFFECTED), key=_gravity))


def _gravity(found: Assessment) -> tuple[object, ...]:
    advisory = found.advisory
    rank = advisory.severity.rank if advisory.severity else -1
    return (not advisory.exploited, -rank, -(advisory.cvss or 0), advisory.id)


def match(database: Database, installed: Installed, host: Host = NOTHING) -> Answer:
    """Judge *installed* by every advisory of its component that *database* has."""
    if installed.component == "linux-kernel":
        told: Iterable[tuple[Advisory, Told]] = kernels.judge(database, installed, host)
    else:
        told = _judge(database, installed, host)
    try:
        found = tuple(
            Assessment(installed, advisory, answer.state, answer.because, answer.fix)
            for advisory, answer in told
        )
    except BadVersion as bad:
        why = f"unknown version: {bad}" if installed.version else "its version could not be read"
        return Answer(installed, (), why)
    return Answer(installed, found)


def _judge(database: Database, installed: Installed, host: Host) -> Iterator[tuple[Advisory, Told]]:
    name, version = number_of(installed)
    own = {a.id: a for a in _distribution_records(database, installed)}
    known = component(installed.component)
    backports = bool(installed.distro) and not known.closed
    for advisory in database.of(installed.component):
        record = own.pop(advisory.id, None)
        if record is not None:
            yield record, by_distribution(installed, record)
            continue
        told = _by_conditions(installed, advisory, host)
        if told is None:
            told = by_number(name, version, installed, advisory)
            if told.state is State.AFFECTED:
                told = _unless(told, advisory, host)
        if backports:
            told = _backported(told, installed, advisory, host)
        yield advisory, told
    for record in own.values():
        yield record, by_distribution(installed, record)


def number_of(installed: Installed) -> tuple[str, Version]:
    """The scheme and the version that upstream advisories compare, or BadVersion."""
    known = component(installed.component)
    text = installed.version
    if known.name == "nvidia-driver" or known.scheme == "vgpu":
        text = driver.bare(text)
        if known.scheme == "vgpu" and vgpu.is_release(text):
            return "vgpu", vgpu.release(text)
    elif installed.distro.startswith("managed"):
        text = text.partition("-")[0]
    elif installed.distro or installed.origin in (Origin.DISTRO, Origin.VENDOR):
        manager = "rpm" if installed.where.startswith("rpm ") else ""
        dashes = known.scheme == "slurm" or known.name in ("mlnx-ofed", "doca-host")
        if not dashes or installed.distro or ":" in text:
            text = distro.upstream(text, manager)
    return known.scheme, parse(known.scheme, text)


def by_number(  # noqa: PLR0911 - a decision table
    name: str, version: Version, installed: Installed, advisory: Advisory
) -> Told:
    """What the advisory's ranges say about the number alone."""
    rows = _concerned(version, installed, advisory.ranges)
    if advisory.ranges and not rows:
        which = installed.variant or version.device
        return Told(State.NOT_AFFECTED, f"it does not name {which}")
    if name == "vgpu" and vgpu.is_release(version.text):
        return _by_release(version, rows)
    if named := component(advisory.component).named:
        return labelled(name, version, rows, installed.variant, named)
    inside = [row for row in rows if row.inside]
    if not inside:
        return spread(name, version, rows)
    if name in _PLAIN_LABELS:
        return labelled(name, version, rows, installed.variant)
    told = within(name, version, inside)
    if told is not None:
        return _by_product_lines(name, version, inside, told)
    everywhere = [row for row in rows if not row.inside and row.bounded]
    if everywhere:
        return spread(name, version, everywhere)
    return _unlisted(name, version, advisory, inside)


def _by_product_lines(name: str, version: Version, rows: Sequence[Range], told: Told) -> Told:
    """Two product lines of one branch may be fixed in different builds: all must agree."""
    mine = [row for row in rows if row.branch == version.branch and row.fixed]
    if len({row.fixed for row in mine}) < 2 or not all(row.only for row in mine):
        return told
    states = {answer.state for row in mine if (answer := within(name, version, [row]))}
    if len(states) == 1:
        return told
    lines = ", ".join(f"{'/'.join(row.only)}: {row.fixed}" for row in mine)
    return Told(State.UNKNOWN, f"it depends on the product line ({lines})", told.fix)


def _unlisted(name: str, version: Version, advisory: Advisory, rows: Sequence[Range]) -> Told:
    """The installed branch is not in the advisory: its age and its end of life decide."""
    branch = version.branch
    if not older(name, version, rows):
        return Told(State.NOT_AFFECTED, f"branch {branch} is newer than every branch it lists")
    product = component(advisory.component).product
    cycle = currency.embedded().find(product, branch) if product else None
    if cycle is None:
        return Told(State.UNASSESSED, f"it does not list branch {branch}")
    if advisory.published and cycle.ends and cycle.ends < advisory.published:
        return Told(State.UNASSESSED, f"branch {branch} ended {cycle.ends}, before it appeared")
    if not advisory.published:
        return Told(State.UNASSESSED, f"it has no date and does not list branch {branch}")
    return Told(
        State.NOT_AFFECTED, f"branch {branch} was supported until {cycle.ends} and is not listed"
    )


def _by_release(version: Version, rows: Sequence[Range]) -> Told:
    """A vGPU software release against the releases that carry the fix."""
    fixes = [(vgpu.release(row.release), row) for row in rows if vgpu.is_release(row.release)]
    for fix, row in fixes:
        if fix.branch == version.branch:
            if version.before(fix):
                return Told(State.AFFECTED, f"fixed in vGPU {row.release}", row.release)
            return Told(State.FIXED, f"fixed since vGPU {row.release}", row.release)
    if fixes and version.order > max(fix.order for fix, _ in fixes):
        return Told(State.NOT_AFFECTED, "this vGPU release line is newer than every one listed")
    return Told(State.UNASSESSED, f"it does not list vGPU {version.branch}")


def _concerned(version: Version, installed: Installed, rows: Sequence[Range]) -> tuple[Range, ...]:
    """Rows that can speak of this device or product line."""
    which = installed.variant or version.device
    if not which or not any(row.only for row in rows):
        return tuple(rows)
    mine = connectx.family(which)
    return tuple(
        row for row in rows if not row.only or any(_covers(item, mine) for item in row.only)
    )


def _covers(item: str, device: str) -> bool:
    """Does *item* of an advisory cover *device*? "BlueField" covers all, "BlueField22" is LTS22."""
    name = connectx.family(item)
    if name == device:
        return True
    return name.startswith("bluefield") and device.startswith("bluefield") and (
        name == "bluefield" or len(name) == len("bluefield22")
    )  # fmt: skip


def _by_conditions(installed: Installed, advisory: Advisory, host: Host) -> Told | None:
    if advisory.parts and installed.part and installed.part not in _parts(advisory):
        concerned = ", ".join(advisory.parts)
        return Told(State.NOT_AFFECTED, f"it concerns {concerned}, this is {installed.part}")
    conditions = advisory.conditions + tuple(c for row in advisory.ranges for c in row.conditions)
    words = broken(conditions, host.features)
    return Told(State.NOT_AFFECTED, f"only where {words}") if words else None


def _parts(advisory: Advisory) -> tuple[str, ...]:
    return tuple(part.removeprefix("kube-") for part in advisory.parts) + advisory.parts


def _unless(told: Told, advisory: Advisory, host: Host) -> Told:
    rows = {c: None for row in advisory.ranges for c in row.conditions}
    words = unseen(advisory.conditions + tuple(rows), host.features)
    if not words:
        return told
    return told._replace(because=f"{told.because}; not looked at: {'; '.join(words)}")


def _backported(told: Told, installed: Installed, advisory: Advisory, host: Host) -> Told:
    """A distribution's build that its number makes affected: is the fix proven to be in it?"""
    if told.state not in (State.AFFECTED, State.UNKNOWN, State.UNASSESSED):
        return told
    ids = (advisory.id, *advisory.aliases)
    names = (installed.package, installed.source)
    named = next((p for id in ids if (p := host.proof(id, *names))), "")
    if named:
        return Told(State.BACKPORTED, f"the changelog of {named} names it as fixed")
    if told.state is not State.AFFECTED:
        return told
    builder = installed.distro.partition(":")[0] or "the distribution"
    return Told(
        State.UNKNOWN, f"unverified: built by {builder}, which backports; {told.because} upstream",
        told.fix,
    )  # fmt: skip


def _distribution_records(database: Database, installed: Installed) -> Iterator[Advisory]:
    """The distribution's own word on the source package of *installed*."""
    if not installed.distro or not installed.release:
        return
    family = distro.family(installed.distro.partition(":")[0])
    source = installed.source or installed.package
    for record in database.of(f"{family}/{source}") if source else ():
        if any(row.branch == installed.release for row in record.ranges):
            yield record


def by_distribution(installed: Installed, record: Advisory) -> Told:
    """The distribution's record: its revision against the one that carries the fix."""
    name = scheme_of(record.component)
    text = installed.source_version or installed.version
    family = record.component.partition("/")[0]
    for row in record.ranges:
        if row.branch != installed.release:
            continue
        if not row.fixed:
            return Told(State.AFFECTED, f"{family} has no fix for {row.branch} yet")
        if row.fixed == "0":
            return Told(State.NOT_AFFECTED, f"{family} says that {row.branch} is not affected")
        if parse(name, text).before(parse(name, row.fixed)):
            return Told(State.AFFECTED, f"{family} fixed it in {row.fixed}", row.fixed)
        return Told(State.BACKPORTED, f"{family} fixed it in {row.fixed}", row.fixed)
    return Told(State.UNKNOWN, f"{family} has no record for {installed.release}")
