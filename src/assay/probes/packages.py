"""Installed packages of the distribution, by dpkg and rpm."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import command, saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.software import Package

_DPKG_FIELDS = (
    "db:Status-Abbrev", "Package", "Version", "Architecture", "source:Package", "source:Version",
    "Maintainer",
)  # fmt: skip
DPKG = command(
    "dpkg-query",
    "-W",
    "-f=" + r"\t".join(f"${{{field}}}" for field in _DPKG_FIELDS) + r"\n",
    name="dpkg",
    looks_like=r"^[uihrp][ncHUFWti][ R]\t[^\t\n]+\t[^\t\n]*\t",
)
# The epoch is part of a version, and rpm does not print it by itself.
RPM = command(
    "rpm",
    "-qa",
    "--qf",
    r"%{NAME}\t%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\t%{ARCH}\t%{SOURCERPM}\t%{VENDOR}\n",
    name="rpm",
    deadline=20.0,
    looks_like=r"^[\w.+-]+\t(?:\d+:)?[^\t\n:]+-[^\t\n]+\t\w+\t[^\t\n]*(?:\.src\.rpm|\(none\))\t",
)
_ARCHITECTURES = "x86_64|aarch64|noarch|i[3-6]86|ppc64le|s390x"
DPKG_LIST = saved("dpkg -l", looks_like=r"^\|\|/ +Name +Version .*\n\+\+\+-=+-=+")
RPM_LIST = saved(
    "rpm -qa", looks_like=rf"(?:^[\w.+]\S*-[^-\s]+-[^-\s]+\.(?:{_ARCHITECTURES})\n){{3}}"
)

_UNPACKED = "iWtUF"  # states in which the files of the package are on the disk
_SOURCE_RPM = re.compile(r"(?P<name>.+)-(?P<version>[^-]+-[^-]+)\.(?:no)?src\.rpm")
_NEVRA = re.compile(rf"(?P<name>.+)-(?P<version>[^-\s]+-[^-\s]+)\.(?P<arch>{_ARCHITECTURES})")


@probe("software.dpkg", reads=[DPKG])
def dpkg(seen: Seen) -> Iterator[Package]:
    """Packages of Debian and its kin, with their source packages."""
    if seen.absent(DPKG):
        return
    lines = seen.text(DPKG).splitlines()
    if not lines:
        raise Unread("dpkg-query listed no package")
    for line in lines:
        fields = line.split("\t")
        if len(fields) != len(_DPKG_FIELDS) or len(fields[0]) < 2 or not fields[1]:
            raise Unread(f"dpkg-query printed {line[:80]!r}")
        status, name, version, architecture, source, source_version, maintainer = fields
        if status[1] in _UNPACKED:
            yield Package("dpkg", name, version, architecture, source, source_version, maintainer)


@probe("software.rpm", reads=[RPM, DPKG])
def rpm(seen: Seen) -> Iterator[Package]:
    """Packages of Red Hat, SUSE and their kin, with their source packages."""
    if seen.absent(RPM):
        return
    lines = seen.text(RPM).splitlines()
    if not lines and (seen.capture(DPKG) is None or seen.absent(DPKG)):
        raise Unread("rpm listed no package")  # beside dpkg it is a tool without packages
    for line in lines:
        fields = line.split("\t")
        if len(fields) != 5 or not fields[0]:
            raise Unread(f"rpm printed {line[:80]!r}")
        name, version, architecture, source, vendor = (_said(field) for field in fields)
        if name == "gpg-pubkey":  # a key in the database, not software
            continue
        made = _SOURCE_RPM.fullmatch(source)
        source, source_version = (made["name"], made["version"]) if made else ("", "")
        yield Package("rpm", name, version, architecture, source, source_version, vendor)


@probe("software.package-list", reads=[DPKG_LIST, RPM_LIST])
def package_list(seen: Seen) -> Iterator[Package]:
    """Packages from a saved `dpkg -l` or `rpm -qa`; these do not tell the source package."""
    if seen.capture(DPKG_LIST):
        yield from _dpkg_list(seen.text(DPKG_LIST))
    if seen.capture(RPM_LIST):
        for line in seen.text(RPM_LIST).splitlines():
            if found := _NEVRA.fullmatch(line.strip()):
                yield Package("rpm", found["name"], found["version"], found["arch"])


def _dpkg_list(text: str) -> Iterator[Package]:
    for line in text.splitlines():
        fields = line.split(None, 4)
        if len(fields) < 4 or not re.fullmatch(r"[uihrp][ncHUFWti]R?", fields[0]):
            continue  # the heading, a prompt
        if fields[0][1] in _UNPACKED:
            yield Package("dpkg", fields[1].partition(":")[0], fields[2], fields[3])


def _said(field: str) -> str:
    return "" if field == "(none)" else field
