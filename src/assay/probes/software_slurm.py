"""Slurm's version by its files and packages.

No command of Slurm is run for it: where there is no slurm.conf, even ``slurmd -V`` asks the DNS
for a controller, and an audit sends nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files, listing, saved
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.software import Software
from assay.probes import packages
from assay.probes.software_unread import lost, or_unread

# The number of libslurm is that of its interface, which goes up with every series: "API_CURRENT"
# in the file META of the sources.
SERIES = {
    "36": "20.11", "37": "21.08", "38": "22.05", "39": "23.02", "40": "23.11", "41": "24.05",
    "42": "24.11", "43": "25.05", "44": "25.11",
}  # fmt: skip
_PREFIXES = "{/usr,/usr/local,/opt/slurm,/opt/slurm/current,/cm/local/apps/slurm/current}"
_LIBRARIES = "{lib,lib64,lib/x86_64-linux-gnu,lib/aarch64-linux-gnu}"
PARTS = listing(
    f"{_PREFIXES}/{{sbin/slurmd,sbin/slurmctld,bin/sinfo,"
    f"{_LIBRARIES}/libslurm.so.{{{','.join(SERIES)}}}}}",
    name="slurm-parts",
)
STATED = files(
    f"{_PREFIXES}/{{{_LIBRARIES}/pkgconfig/slurm.pc,include/slurm/slurm_version.h}}",
    name="slurm-stated-version",
)
SAID = saved("slurmd-V", looks_like=r"^slurm(?:-wlm)? v?\d+\.\d+[^\s,]*$")

_SAID = re.compile(r"^slurm(?:-wlm)? v?(\d+\.\d+[^\s,]*)$", re.MULTILINE)
_PREFIX = re.compile(r"(.*?)/(?:sbin|bin|lib|lib64|include)/.*")
_NUMBER = re.compile(r"^Version:[ \t]*(\d+\.\d+\S*)", re.MULTILINE)
_HEXADECIMAL = re.compile(r"^#define SLURM_VERSION_NUMBER (0x[0-9a-fA-F]{6})\b", re.MULTILINE)
_PACKAGE = re.compile(r"slurm(?:d|ctld)?(?:-smd|-wlm)?(?:-client|-slurmd|-slurmctld)?")
_UPSTREAM = re.compile(r"(?:\d+:)?(\d+\.\d+(?:\.\d+)?(?:[-~]?\d?rc\d+)?)(?:[-+~.].*)?")


@probe("software.slurm", reads=[PARTS, STATED, packages.DPKG, packages.RPM, SAID])
def slurm(seen: Seen) -> Iterator[Software]:
    """Every Slurm of a node: that of the packages, and those built from source."""
    if seen.capture(SAID) is not None:
        found = _SAID.search(seen.text(SAID))
        if found is None:
            raise Unread("`slurmd -V` printed no version")
        yield Software("slurm", found[1], "binary")
        return
    yield from or_unread(seen, PARTS, ["slurm"], _installed(seen))
    yield from lost(seen, "slurm")


def _installed(seen: Seen) -> Iterator[Software]:
    parts: dict[str, list[str]] = defaultdict(list)
    for entry in seen.entries(PARTS):
        if entry.status != Status.ANSWERED:
            seen.lose(entry.path, entry.status)
        elif place := _PREFIX.fullmatch(entry.path):
            parts[place[1]].append(entry.path)
    stated = dict(_stated(seen))
    packaged = sorted(set(_packaged(seen)))
    for version in packaged:
        yield Software("slurm", version, "file", detail="by its package")
    for prefix, paths in sorted(parts.items()):
        if prefix in stated:
            path, version = stated[prefix]
            if version not in packaged:
                yield Software("slurm", version, "file", path)
        elif prefix != "/usr" or not packaged:
            yield Software("slurm", "", "file", paths[0], _doubt(paths))


def _stated(seen: Seen) -> Iterator[tuple[str, tuple[str, str]]]:
    """Version, and the file that states it, by the folder that Slurm was put under."""
    for path, text in seen.files(STATED):
        plain, number = _NUMBER.search(text), _HEXADECIMAL.search(text)
        place = _PREFIX.fullmatch(path)
        if place and plain:
            yield place[1], (path, plain[1])
        elif place and number:
            major, minor, micro = int(number[1], 16).to_bytes(3)
            yield place[1], (path, f"{major}.{minor:02d}.{micro}")
        else:
            seen.lose(path, "states no version of Slurm")


def _packaged(seen: Seen) -> Iterator[str]:
    """Versions of Slurm's packages; what the lists themselves lack is their probes' matter."""
    for reading, parse in ((packages.DPKG, packages.dpkg), (packages.RPM, packages.rpm)):
        if seen.capture(reading) is None:
            continue
        try:
            for package in parse(seen):
                found = _UPSTREAM.fullmatch(package.version)
                if found and _PACKAGE.fullmatch(package.name):
                    yield found[1].replace("~", "-")
        except Unread:
            continue


def _doubt(paths: list[str]) -> str:
    """What is known where no version is: the series of the library."""
    numbers = {path.rpartition(".")[2] for path in paths if "libslurm.so." in path}
    series = sorted(SERIES[number] for number in numbers if number in SERIES)
    of = f", its library is of the series {', '.join(series)}" if series else ""
    return f"no file and no package states its version{of}"
