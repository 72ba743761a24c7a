"""SchedMD's changelogs: the release whose section names a CVE is the one that fixes it."""

import re
from collections.abc import Iterator

from assay.advisories.feeds.feed import BadFeed, feed
from assay.model.advisory import Advisory, Range

_SECTION = re.compile(r"^#+ Changes in Slurm (\d{2}\.\d{2}\.\d+(?:rc\d+)?)\s*$", re.MULTILINE)
_CVE = re.compile(r"CVE-\d{4}-\d{4,}")
_SERIES = ("22.05", "23.02", "23.11", "24.05", "24.11", "25.05", "25.11", "26.05")


@feed(
    "slurm-changelog",
    urls=tuple(
        f"https://raw.githubusercontent.com/SchedMD/slurm/master/CHANGELOG/slurm-{series}.md"
        for series in _SERIES
    ),
    licence="facts only",
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Slurm releases that fix vulnerabilities, one series a file."""
    text = data.decode("utf-8", "replace")
    marks = list(_SECTION.finditer(text))
    if not marks:
        raise BadFeed(f"{name or 'a Slurm changelog'} has no section of a release")
    for at, mark in enumerate(marks):
        end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
        series = mark[1].rpartition(".")[0]
        for cve in dict.fromkeys(_CVE.findall(text[mark.end() : end])):
            yield Advisory(
                component="slurm",
                id=cve,
                title="Vulnerability in Slurm",
                ranges=(Range(series, mark[1], branch=series),),
                url="https://www.schedmd.com/security-policy/",
                references=(f"https://www.cve.org/CVERecord?id={cve}",),
                sources=("slurm-changelog",),
                layer="host",
            )
