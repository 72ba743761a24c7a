"""Kernels: who built the running one decides which records may judge it.

Upstream rows judge only kernels built from upstream. Ubuntu's are judged by Ubuntu's records of
the same flavour (ABI numbers restart in each); Debian follows the stable series, so a number at or
above the fix is fixed and a lower one is unverified; others keep the base number and backport.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.advisories import distro
from assay.advisories.database import Database
from assay.advisories.host import Host
from assay.advisories.ranges import NO_BOUND, Told, within
from assay.advisories.versions import BadVersion, Version, parse, ubuntu_kernel
from assay.model.advisory import Advisory, Installed, Origin, Range, State

_DEBIAN = re.compile(r"Debian (\d[\w.+~\-]*)")
_RED_HAT = re.compile(r"\.el(\d+)")
_UBUNTU_PACKAGE = re.compile(r"\d+\.\d+\.0-\d+\.\d+(?:\.\d+)?(?:~\d+\.\d+(?:\.\d+)?)?")
_MAINLINE_BUILD = re.compile(r"-\d{6}(?:rc\d+)?-generic")  # Ubuntu's packages of plain mainline
_LIVEPATCH = re.compile(r"(?:lkp_Ubuntu|livepatch|kpatch)[_\w]*?_(\d+)$")
# Ubuntu's base kernels by series; where two series have it, the older one marks its uploads.
_SERIES = {"4.15": "bionic", "5.4": "focal", "5.15": "jammy", "6.8": "noble", "6.11": "noble",
           "6.14": "noble", "6.17": "noble", "7.0": "resolute"}  # fmt: skip


def installed(
    release: str, build: str = "", os_id: str = "", os_version: str = "", *, running: bool = True
) -> Installed:
    """A kernel as an installed thing: who built it, from which source package, which flavour.

    >>> k = installed("6.8.0-1054-nvidia", "#57-Ubuntu SMP PREEMPT_DYNAMIC")
    >>> k.distro, k.release, k.source, k.source_version
    ('ubuntu', 'noble', 'linux-nvidia', '6.8.0-1054.57')
    >>> installed("6.6.50").distro
    ''
    """
    where = "uname -r" if running else "installed kernel"
    base = Installed("linux-kernel", release, Origin.KERNEL, where, running=running)
    flavour = ubuntu_kernel.flavour(release)
    ubuntu = "-Ubuntu" in build or os_id == "ubuntu" or (not os_id and not build and flavour)
    if ubuntu and flavour and _MAINLINE_BUILD.search(release) is None:
        version = ubuntu_kernel.package_version(release, build)
        series = _ubuntu_series(version, os_version)
        return replace(
            base, distro="ubuntu", release=series, source=_ubuntu_source(release, flavour, series),
            source_version=version, variant=flavour, package=f"linux-image-{release}",
        )  # fmt: skip
    builder, version = _other_builder(release, build, os_id, os_version)
    return replace(
        base, distro=builder, source="linux" if builder else "", source_version=version,
        release=distro.codename(*builder.partition(":")[::2]) if builder else "",
        package=f"linux-image-{release}" if builder.startswith("debian") else "kernel",
    )  # fmt: skip


def packaged(version: str, os_id: str = "", os_version: str = "") -> Installed | None:
    """A kernel by the version of its source package; None where that is no such version.

    >>> packaged("6.8.0-124.124").source, packaged("6.1.76-1", "debian", "12").distro
    ('linux', 'debian:12')
    """
    series = os_version and distro.codename(os_id, os_version)
    base = Installed("linux-kernel", version, Origin.STATED, source="linux", source_version=version)
    if os_id in ("", "ubuntu") and _UBUNTU_PACKAGE.fullmatch(version):
        series = _ubuntu_series(version, os_version)
        source = _ubuntu_source(version, "generic", series)
        return replace(base, distro="ubuntu", release=series, source=source, variant="generic")
    if os_id == "debian" or re.search(r"[+~]deb\d+u?\d*|~bpo\d", version):
        builder = f"debian:{os_version}" if os_version else "debian"
        return replace(base, distro=builder, release=series or "")
    if os_id and not _other_builder(version, "", os_id, os_version)[0]:
        builder = f"{distro.family(os_id)}:{os_version}".rstrip(":")
        return replace(base, distro=builder, release=series or os_version.partition(".")[0])
    return None


def _ubuntu_series(version: str, os_version: str) -> str:
    if "~" in version:
        return distro.codename("ubuntu", ".".join(version.partition("~")[2].split(".")[:2]))
    by_os = distro.codename("ubuntu", os_version)
    return by_os or _SERIES.get(".".join(version.split(".")[:2]), "")


def _ubuntu_source(release: str, flavour: str, series: str) -> str:
    """The source package of a flavour: linux-nvidia, or linux-nvidia-6.8 on the older release."""
    line = ".".join(release.split(".")[:2])
    flavour = re.sub(r"-64k$", "", flavour)
    hwe = series and _SERIES.get(line, series) != series
    if flavour == "generic":
        return f"linux-hwe-{line}" if hwe else "linux"
    return f"linux-{flavour}-{line}" if hwe else f"linux-{flavour}"


def _other_builder(release: str, build: str, os_id: str, os_version: str) -> tuple[str, str]:
    if found := _DEBIAN.search(build):
        return f"debian:{os_version}" if os_id == "debian" else "debian", found.group(1)
    if re.search(r"-\d+-(?:cloud-|rt-)?(?:amd64|arm64)$|\+deb\d+-", release):
        return f"debian:{os_version}" if os_id == "debian" else "debian", ""
    if found := _RED_HAT.search(release):
        return f"redhat:{found.group(1)}", release
    for mark, builder in (
        (".amzn", "amzn"), ("-azure", "azure"), (".fc", "fedora"), ("-default", "sles"),
        (".azl", "azurelinux"), ("-flatcar", "flatcar"), ("-cos", "cos"), (".uek", "oracle"),
        ("-pve", "proxmox"), ("-gke", "ubuntu"), ("-lts-", "unknown"),
    ):  # fmt: skip
        if mark in release and not re.search(r"-(?:flatcar)$", release):
            return builder, release
    return "", ""


def judge(database: Database, kernel: Installed, host: Host) -> Iterator[tuple[Advisory, Told]]:
    """Every kernel advisory against one kernel."""
    if kernel.distro.startswith("ubuntu"):
        yield from _ubuntu(database, kernel, host)
        return
    version = parse("kernel", kernel.version)
    own = {a.id: a for a in _own_records(database, kernel)}
    debian = kernel.distro.startswith("debian")
    upstream = None
    if debian and kernel.source_version:
        upstream = parse("kernel", distro.upstream(kernel.source_version).partition("~")[0])
    for advisory in database.of("linux-kernel"):
        record = own.pop(advisory.id, None)
        if record is not None:
            yield record, _record(kernel, record)
        elif not kernel.distro:
            yield advisory, by_branch(version, advisory.ranges)
        else:
            yield advisory, _distribution(kernel, upstream, advisory, host)
    for record in own.values():
        yield record, _record(kernel, record)


def _own_records(database: Database, kernel: Installed) -> Iterator[Advisory]:
    family = distro.family(kernel.distro.partition(":")[0])
    source = "kernel" if family == "redhat" else "linux"
    release = kernel.release or kernel.distro.partition(":")[2]
    for record in database.of(f"{family}/{source}") if family and kernel.source_version else ():
        if any(row.branch == release for row in record.ranges):
            yield record


def _record(kernel: Installed, record: Advisory) -> Told:
    family = record.component.partition("/")[0]
    name = "rpm" if family == "redhat" else "deb"
    release = kernel.release or kernel.distro.partition(":")[2]
    row = next(row for row in record.ranges if row.branch == release)
    if not row.fixed:
        return Told(State.AFFECTED, f"{family} has no fix for {release} yet")
    if row.fixed == "0":
        return Told(State.NOT_AFFECTED, f"{family} says that {release} is not affected")
    have = re.sub(r"\.(?:x86_64|aarch64)(?:\+.*)?$", "", kernel.source_version)
    if parse(name, have).before(parse(name, row.fixed)):
        return Told(State.AFFECTED, f"{family} fixed it in {row.fixed}", row.fixed)
    return Told(State.BACKPORTED, f"{family} fixed it in {row.fixed}", row.fixed)


def by_branch(version: Version, rows: Sequence[Range]) -> Told:
    """A kernel built from upstream: its own series, else where it stands against mainline."""
    told = within("kernel", version, rows)
    if told is not None:
        return told
    main = next((row for row in rows if row.branch == "mainline" and row.fixed), None)
    if main is None:
        return Told(State.UNASSESSED, f"no fix is listed for {version.branch}, nor for mainline")
    if not version.before(parse("kernel", main.fixed)):
        return Told(State.FIXED, f"in mainline since {main.fixed}", main.fixed)
    if main.introduced and version.before(parse("kernel", main.introduced)):
        return Told(State.NOT_AFFECTED, f"introduced in {main.introduced}")
    return Told(State.UNASSESSED, f"{version.branch} is not among the series that got the fix")


def _distribution(
    kernel: Installed, upstream: Version | None, advisory: Advisory, host: Host
) -> Told:
    """No record of the distribution itself: the stable number can clear, never convict."""
    if host.proof(advisory.id, kernel.package, kernel.source, "linux", "kernel"):
        return Told(State.BACKPORTED, "the kernel package's changelog names it as fixed")
    if kpatch := next((p for p, cve in host.changelog if cve == advisory.id and "kpatch" in p), ""):
        return Told(State.BACKPORTED, f"the changelog of live patch {kpatch} names it")
    if upstream is not None:
        told = by_branch(upstream, advisory.ranges)
        if told.state in (State.FIXED, State.NOT_AFFECTED):
            return told
    return Told(
        State.UNKNOWN, f"unverified: {kernel.distro} backports, and no record of it is here"
    )


def _ubuntu(database: Database, kernel: Installed, host: Host) -> Iterator[tuple[Advisory, Told]]:
    """Ubuntu's records by flavour; CVEs of which it has none here stay unverified."""
    have = parse("ubuntu_kernel", kernel.source_version)
    branch = f"{kernel.release}/{kernel.source}"
    patches = _livepatches(database, kernel, host)
    judged = set()
    for record in database.of("ubuntu-kernel"):
        judged.add(record.id)
        row = next((row for row in record.ranges if row.branch == branch), None)
        if row is None:
            yield record, Told(State.UNKNOWN, f"Ubuntu's record here has no row for {branch}")
        elif row.fixed == "0":
            yield record, Told(State.NOT_AFFECTED, f"Ubuntu says that {branch} is not affected")
        elif not row.fixed:
            yield record, Told(State.UNASSESSED, f"{NO_BOUND} for {branch}")
        elif not have.before(parse("ubuntu_kernel", row.fixed)):
            yield record, Told(State.FIXED, f"{branch} is fixed since {row.fixed}", row.fixed)
        elif record.id in patches:
            yield record, Told(State.BACKPORTED, f"live patch {patches[record.id]} fixes it")
        else:
            yield record, Told(State.AFFECTED, f"{branch} is fixed in {row.fixed}", row.fixed)
    for advisory in database.of("linux-kernel"):
        if advisory.id not in judged:
            if advisory.id in patches:
                yield (
                    advisory,
                    Told(State.BACKPORTED, f"live patch {patches[advisory.id]} fixes it"),
                )
            else:
                yield advisory, _distribution(kernel, None, advisory, host)


def _livepatches(database: Database, kernel: Installed, host: Host) -> dict[str, str]:
    """CVEs that an enabled live patch fixes, by the record that says so; never by its name."""
    found: dict[str, str] = {}
    for name in host.livepatches:
        number = _LIVEPATCH.search(name)
        if number is None:
            continue
        for record in database.of("ubuntu-livepatch"):
            for row in record.ranges:
                if row.branch != f"{kernel.release}/{kernel.variant}" or not row.fixed:
                    continue
                try:
                    below = parse("loose", number.group(1)).before(parse("loose", row.fixed))
                except BadVersion:
                    continue
                if not below:
                    found[record.id] = f"{name} ({row.fixed})"
    return found
