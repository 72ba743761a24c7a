"""Advise: which advisories concern a version, a fleet, or an SBOM. Pure, and offline."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.advisories import advice, currency, distro, inventory, kernels, records
from assay.advisories.components import canonical, component
from assay.advisories.host import NOTHING, Host
from assay.advisories.inventory import Inventory
from assay.advisories.matching import Answer, match
from assay.advisories.sbom import Sbom
from assay.advisories.session import Session
from assay.advisories.versions import BadVersion, parse
from assay.engine.understand import Understanding
from assay.kit.probe import Probe
from assay.model.advisory import Assessment, Installed, Origin, State
from assay.model.evidence import Evidence
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.containers import ToolkitSetting
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.software import ChangelogFix, Package, Software
from assay.model.facts.system import Kernel, KernelModule, Livepatch, OperatingSystem
from assay.model.outcome import Outcome, Severity, worst

_PARTS = {"kubelet": "kubelet", "kube-apiserver": "apiserver", "kube-proxy": "kube-proxy"}


@dataclass(frozen=True, slots=True)
class Line:
    """One advisory as it concerns one thing. ``sha256`` names the exact record."""

    id: str
    state: State
    because: str
    fix: str
    severity: Severity | None
    cvss: float | None
    exploited: bool
    title: str
    published: str
    url: str
    references: tuple[str, ...]
    sources: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class Told:
    """The answer for one thing with a version.

    ``outcome`` is never a pass when the version is unknown, when something could not be told, or
    when the database is ``stale``. ``upgrade_to`` clears every affected line.
    """

    component: str
    version: str
    where: str
    distro: str
    outcome: Outcome
    because: str
    upgrade_to: str
    upgrade_at: str
    affected: int
    exploited: int
    counts: Mapping[str, int]
    lines: tuple[Line, ...]
    ends: str
    stale: bool
    as_of: str
    database_sha256: str


@dataclass(frozen=True, slots=True)
class Concerned:
    """Hosts on which one advisory came out alike, and why."""

    id: str
    component: str
    version: str
    where: str
    state: State
    because: str
    fix: str
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """What one advisory means for a fleet. ``nodes`` is how many hosts were looked at."""

    id: str
    titles: tuple[str, ...]
    outcome: Outcome
    nodes: int
    groups: tuple[Concerned, ...]
    stale: bool
    as_of: str


def stated(name: str, version: str, *, built_by: str = "", product: str = "") -> Installed:
    """A thing as a user states it: *name* may be an alias, *built_by* is ``ubuntu:24.04``."""
    found = canonical(name)
    id, number = distro.parse_distro(built_by) if built_by else ("", "")
    if found == "linux-kernel":
        kernel = kernels.packaged(version, id, number) if _is_package(version, id) else None
        return kernel or replace(kernels.installed(version, "", id, number), where="")
    marked = distro.of_version(version)
    builder = f"{id}:{number}".rstrip(":") if id else marked.name
    if id and marked.id == "" and distro.is_vendor("", version):
        builder = ""
    family, _, release = builder.partition(":")
    packaged = Origin.VENDOR if distro.is_vendor("", version) else Origin.STATED
    source = component(found).packages[0] if component(found).packages else found
    return Installed(
        found, version, Origin.DISTRO if builder else packaged,
        distro=builder, release=distro.codename(family, release) or release.partition(".")[0],
        source=source if builder else "", source_version=version if builder else "",
        package=source if builder else "", variant=product,
        part=_PARTS.get(name.strip().lower(), ""),
    )  # fmt: skip


def _is_package(version: str, id: str) -> bool:
    """Is it a package's version (6.8.0-124.124), not a uname -r (6.8.0-124-generic)?"""
    return not re.search(r"-\d+-[a-z]", version) and bool(id or "-" in version)


def tell(now: Session, thing: Installed, host: Host = NOTHING) -> Told:
    """Everything that the database says about one thing."""
    answer = match(now.database, thing, host)
    known = bool(now.database.count(thing.component)) or thing.component == "linux-kernel"
    outcome, because = _outcome(now, answer, known=known)
    planned = advice.upgrade(now.database, answer, host) if known else None
    return Told(
        component=thing.component,
        version=thing.version,
        where=thing.where,
        distro=thing.distro,
        outcome=outcome,
        because=because,
        upgrade_to=planned.to if planned else "",
        upgrade_at=component(thing.component).upgrade,
        affected=len(answer.affected),
        exploited=planned.exploited if planned else 0,
        counts={str(state): count for state, count in sorted(answer.counts.items())},
        lines=tuple(line(a) for a in _ordered(answer)),
        ends=_ends(thing),
        stale=now.stale,
        as_of=now.database.as_of,
        database_sha256=now.database.sha256,
    )


def _outcome(now: Session, answer: Answer, *, known: bool) -> tuple[Outcome, str]:
    if not known:
        return Outcome.UNKNOWN, f"the database has no component {answer.installed.component!r}"
    if answer.unread:
        return Outcome.UNKNOWN, answer.unread
    affected = answer.affected
    if affected:
        number = len(affected)
        words = "1 advisory applies" if number == 1 else f"{number} advisories apply"
        return Outcome.FAIL, f"{words}; {now.age}"
    open_ones = answer.open
    if open_ones:
        words = f"{len(open_ones)} advisories cannot be told, for example {open_ones[0].because}"
        return Outcome.UNKNOWN, f"{words}; {now.age}"
    clear = answer.clear and not now.stale
    words = f"{advice.cleared_words(answer)}; {now.age}"
    return (Outcome.PASS if clear else Outcome.UNKNOWN), words


def _ordered(answer: Answer) -> Iterator[Assessment]:
    yield from answer.affected
    for state in (State.UNASSESSED, State.UNKNOWN, State.BACKPORTED, State.FIXED):
        yield from answer.of(state)
    yield from answer.of(State.NOT_AFFECTED)


def line(found: Assessment) -> Line:
    """One assessment for people and programs."""
    advisory = found.advisory
    return Line(
        advisory.id, found.state, found.because, found.fix, advisory.severity, advisory.cvss,
        advisory.exploited, advisory.title, advisory.published, advisory.url, advisory.references,
        advisory.sources, records.sha256(advisory),
    )  # fmt: skip


def _ends(thing: Installed) -> str:
    """When the branch of *thing* stops getting fixes, where that is known."""
    known = component(thing.component)
    text = thing.version
    if thing.distro or not known.product:
        return ""
    try:
        branch = parse(known.scheme, text).branch
    except BadVersion:
        return ""
    cycle = currency.embedded().find(known.product, branch, branch.partition(".")[0])
    return cycle.ends if cycle else ""


def sbom(now: Session, given: Sbom) -> tuple[Told, ...]:
    """Everything in an SBOM that the database knows, what is affected first."""
    found = [tell(now, thing) for thing in given.installed if now.database.count(thing.component)
             or thing.component == "linux-kernel"]  # fmt: skip
    return tuple(sorted(found, key=lambda told: (-told.outcome.rank, told.component)))


def reach(now: Session, id: str, hosts: Mapping[str, Inventory]) -> Reach:
    """Which hosts one advisory concerns, and why. Equal inventories are judged once."""
    concerned = now.database.find(id)
    names = {record.component for record in concerned}
    ids = {record.id for record in concerned}
    groups: dict[tuple[str, ...], list[str]] = {}
    judged: dict[Inventory, tuple[Assessment, ...]] = {}
    for node, things in hosts.items():
        if things not in judged:
            judged[things] = tuple(_matching(now, things, ids))
        for found in judged[things]:
            thing = found.installed
            key = (found.advisory.id, thing.component, advice.shown_version(thing), thing.where,
                   str(found.state), found.because, found.fix)  # fmt: skip
            groups.setdefault(key, []).append(node)
    rows = [
        Concerned(cve, name, version, where, State(state), because, fix, tuple(nodes))
        for (cve, name, version, where, state, because, fix), nodes in groups.items()
    ]
    order = list(State)
    rows.sort(key=lambda row: (order.index(row.state), row.component, -len(row.nodes)))
    return Reach(
        id=id.strip().upper(),
        titles=tuple(dict.fromkeys(record.title for record in concerned)),
        outcome=_reach_outcome(now, rows, known=bool(names)),
        nodes=len(hosts),
        groups=tuple(rows),
        stale=now.stale,
        as_of=now.database.as_of,
    )


def _matching(now: Session, things: Inventory, ids: set[str]) -> Iterator[Assessment]:
    for thing in things.installed:
        answer = match(now.database, thing, things.host)
        yield from (a for a in answer.assessments if a.advisory.id in ids)


def _reach_outcome(now: Session, rows: Iterable[Concerned], *, known: bool) -> Outcome:
    if not known:
        return Outcome.UNKNOWN
    outcomes = {
        State.AFFECTED: Outcome.FAIL, State.UNKNOWN: Outcome.UNKNOWN,
        State.UNASSESSED: Outcome.UNKNOWN,
    }  # fmt: skip
    found = worst(outcomes.get(row.state, Outcome.PASS) for row in rows)
    return Outcome.UNKNOWN if now.stale and found is Outcome.PASS else found


def fleet(now: Session, hosts: Mapping[str, Inventory]) -> dict[str, tuple[Answer, ...]]:
    """Answers for every host; hosts with equal inventories share one answer."""
    judged: dict[Inventory, tuple[Answer, ...]] = {}
    matched: dict[tuple[Installed, Host], Answer] = {}
    found = {}
    for node, things in hosts.items():
        if things not in judged:
            answers = []
            for thing in things.installed:
                key = (thing, things.host)
                if key not in matched:
                    matched[key] = match(now.database, thing, things.host)
                answers.append(matched[key])
            judged[things] = tuple(answers)
        found[node] = judged[things]
    return found


_KINDS = (
    Package, Software, OperatingSystem, Kernel, KernelModule, Accelerator, RdmaPort, ChangelogFix,
    Livepatch, ToolkitSetting, NvidiaModule,
)  # fmt: skip


def inventories(evidence: Iterable[Evidence], probes: Sequence[Probe]) -> dict[str, Inventory]:
    """What is installed on every node, from its evidence; equal evidence is understood once."""
    useful = [probe for probe in probes if any(kind in probe.gives for kind in _KINDS)]
    understanding = Understanding(useful)
    for one in evidence:
        understanding.add(one)
    known: dict[tuple[int, ...], Inventory] = {}
    found = {}
    for node, numbers in understanding.nodes.items():
        if numbers not in known:
            facts = [fact for n in numbers for fact in understanding.results[n].facts]
            known[numbers] = inventory.everything(facts)
        found[node] = known[numbers]
    return found
