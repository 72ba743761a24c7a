"""The kernel's own CVE records: pairs of versions that introduced and fixed, per stable branch."""

import re
from collections.abc import Iterator

from assay.advisories.feeds.feed import BadFeed, feed
from assay.model.advisory import Advisory, Range

_LINE = re.compile(r"([\d.]+(?:-rc\d+)?):([0-9a-f]+):([\d.]+(?:-rc\d+)?):([0-9a-f]+)")
_NAME = re.compile(r"(CVE-\d{4}-\d{4,})\.dyad$")


@feed(
    "linux-cna",
    urls=("https://git.kernel.org/pub/scm/linux/security/vulns.git/snapshot/vulns-master.tar.gz",),
    licence="CC0-1.0",
    members=r"cve/published/\d{4}/CVE-\d{4}-\d+\.dyad",
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Versions in which kernel vulnerabilities came in and went away, from the CNA's pairs."""
    named = _NAME.search(name)
    if named is None:
        raise BadFeed(f"{name!r} is not named after a CVE")
    pairs = []
    for line in data.decode("utf-8", "replace").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise BadFeed(f"{name}: {line[:80]!r} is not a pair of versions")
        pairs.append((found[1], found[3]))
    if not pairs:
        raise BadFeed(f"{name} holds no pair")
    yield Advisory(
        component="linux-kernel",
        id=named[1],
        title="Vulnerability in the Linux kernel",
        ranges=tuple(dict.fromkeys(_range(begun, fixed) for begun, fixed in pairs)),
        url=f"https://lore.kernel.org/linux-cve-announce/?q={named[1]}",
        references=(f"https://www.cve.org/CVERecord?id={named[1]}",),
        sources=("linux-cna",),
        layer="host",
    )


def _range(begun: str, fixed: str) -> Range:
    start = "" if begun == "0" else begun
    if fixed == "0":  # vulnerable, and that branch never got a fix
        return Range(introduced=start, branch=_series(begun), inside=True)
    parts = fixed.split(".")
    mainline = len(parts) == 2 or (len(parts) == 3 and parts[0] == "2")
    return Range(start, fixed, branch="mainline" if mainline else _series(fixed), inside=True)


def _series(version: str) -> str:
    return ".".join(version.split(".")[:2])
