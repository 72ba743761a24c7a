"""Advisories, installed things that they may concern, and what was concluded about each pair."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from assay.model.outcome import Severity


class State(StrEnum):
    """What one advisory means for one installed thing. Only the first is a finding."""

    AFFECTED = "affected"
    FIXED = "fixed"
    NOT_AFFECTED = "not-affected"  # the source says so, or a condition of it does not hold
    BACKPORTED = "backport-proven"  # a distribution's record or the package's changelog names it
    UNASSESSED = "unassessed"  # the branch is not in the advisory: past its end of life, or new
    UNKNOWN = "unknown"  # nothing here can tell


class Origin(StrEnum):
    """Where a version was seen. The same component may be there more than once."""

    DISTRO = "distribution package"
    VENDOR = "vendor package"
    BINARY = "binary in use"
    IMAGE = "container image"
    FIRMWARE = "firmware"
    MODULE = "kernel module"
    KERNEL = "running kernel"
    STATED = "stated"  # a user or an SBOM said so


class Range(NamedTuple):
    """Versions that an advisory concerns: introduced <= v < fixed, or v <= last_affected.

    With ``inside`` only versions of the same ``branch`` compare (a driver branch, a firmware
    train, a kernel series). ``only`` names devices or product lines; ``release`` is the vendor's
    bundle or vGPU release that carries the fix; ``backports`` are commits of release branches.
    """

    introduced: str = ""
    fixed: str = ""
    last_affected: str = ""
    below_major: str = ""
    branch: str = ""
    inside: bool = False
    only: tuple[str, ...] = ()
    release: str = ""
    conditions: tuple[str, ...] = ()
    backports: tuple[str, ...] = ()

    @property
    def bounded(self) -> bool:
        """Without an upper bound a range is never a finding by itself."""
        return bool(self.fixed or self.last_affected or self.below_major)


@dataclass(frozen=True, slots=True)
class Advisory:
    """One vulnerability of one component, from public sources, in our own words.

    ``severity`` and ``cvss`` are None where no source gives them. ``exploited`` is CISA's list of
    known exploited vulnerabilities, ``proofs`` counts public references to proof-of-concept code.
    ``conditions`` must all hold for the component to be concerned.
    """

    component: str
    id: str
    title: str
    ranges: tuple[Range, ...]
    severity: Severity | None = None
    cvss: float | None = None
    vector: str = ""
    aliases: tuple[str, ...] = ()
    url: str = ""
    references: tuple[str, ...] = ()
    published: str = ""  # ISO date, empty when no source gives one
    exploited: bool = False
    exploited_since: str = ""
    sources: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    nickname: str = ""
    cwe: str = ""
    layer: str = ""
    subsystems: tuple[str, ...] = ()
    proofs: int = 0


@dataclass(frozen=True, slots=True)
class Installed:
    """One thing with a version on a host.

    ``distro`` is ``debian:12`` when a distribution built it, empty for an upstream or vendor
    build. ``release`` is the distribution's code name. ``variant`` narrows what it is (a device
    family, a product line, a kernel flavour), ``part`` a program of a larger project (kubelet).
    ``running`` is None where installed and running do not differ.
    """

    component: str
    version: str
    origin: Origin = Origin.STATED
    where: str = ""
    distro: str = ""
    release: str = ""
    source: str = ""
    source_version: str = ""
    package: str = ""
    variant: str = ""
    part: str = ""
    running: bool | None = None


@dataclass(frozen=True, slots=True)
class Assessment:
    """What *advisory* means for *installed*, why, and the version that clears it."""

    installed: Installed
    advisory: Advisory
    state: State
    because: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """All that one upgrade of one installed thing clears, and what no version clears yet.

    ``to`` is empty when nothing can be cleared.
    """

    installed: Installed
    to: str
    clears: tuple[Assessment, ...]
    remain: tuple[Assessment, ...] = ()

    @property
    def exploited(self) -> int:
        """How many of them are known to be exploited."""
        return sum(a.advisory.exploited for a in self.clears + self.remain)

    @property
    def severity(self) -> Severity | None:
        """The worst severity that any source gives."""
        every = self.clears + self.remain
        known = [a.advisory.severity for a in every if a.advisory.severity]
        return max(known, key=lambda s: s.rank, default=None)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """When a branch stops getting fixes. ``ends`` is an ISO date."""

    product: str
    cycle: str
    ends: str
    source: str
