"""CVE records of single vendors, in the CVE program's own form (version 5)."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.advisories.components import canonical
from assay.advisories.feeds.feed import BadFeed, day, document, feed, inner, rows, words
from assay.model.advisory import Advisory, Range
from assay.model.outcome import Severity

# CNAs whose records name components of this field, by what they call themselves.
CNAS = {"AMD", "AMI", "Supermicro", "kubernetes", "GitHub_M", "canonical", "intel"}
_PRODUCTS = {
    "kubelet": "kubernetes",
    "kubernetes": "kubernetes",
    "megarac-spx": "ami-megarac",
    "runc": "runc",
    "containerd": "containerd",
    "moby": "docker-engine",
    "slurm": "slurm",
    "munge": "munge",
    "apptainer": "apptainer",
    "vllm": "vllm",
    "nvidia-container-toolkit": "nvidia-container-toolkit",
}


@feed(
    "cvelistv5",
    urls=("https://codeload.github.com/CVEProject/cvelistV5/zip/refs/heads/main",),
    licence="CVE terms of use",
    members=r".*/cves/\d{4}/\w+/CVE-\d{4}-\d+\.json",
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Records that AMD, AMI, Supermicro, Kubernetes and GitHub wrote themselves."""
    given = document(data, "a CVE record")
    about = given.get("cveMetadata")
    if not isinstance(about, dict) or not words(given, "dataVersion").startswith("5."):
        raise BadFeed("it is not a CVE record of version 5")
    if words(about, "state") != "PUBLISHED" or words(about, "assignerShortName") not in CNAS:
        return
    cna = inner(given, "containers").get("cna")
    if not isinstance(cna, dict):
        raise BadFeed(f"{words(about, 'cveId')} has no CNA container")
    severity, score, vector = _score(cna)
    for component, ranges in _affected(cna).items():
        yield Advisory(
            component=component,
            id=words(about, "cveId"),
            title=f"Vulnerability in {component}",
            ranges=tuple(dict.fromkeys(ranges)),
            severity=severity,
            cvss=score,
            vector=vector,
            url=f"https://www.cve.org/CVERecord?id={words(about, 'cveId')}",
            references=tuple(
                url for row in rows(cna, "references")
                if (url := words(row, "url")).startswith("https://")
            ),
            published=day(words(about, "datePublished")),
            sources=("cvelistv5",),
            layer="host",
        )  # fmt: skip


def _affected(cna: Mapping[str, Any]) -> dict[str, list[Range]]:
    found: dict[str, list[Range]] = {}
    for product in rows(cna, "affected"):
        component = _PRODUCTS.get(re.sub(r"[\s_]+", "-", words(product, "product").lower()))
        if component is None:
            continue
        for row in rows(product, "versions"):
            if words(row, "status") == "affected":
                found.setdefault(canonical(component), []).extend(_range(row))
    return found


def _range(row: Mapping[str, Any]) -> Iterator[Range]:
    """A range of the record; GitHub writes whole expressions into ``version``: taken apart."""
    version = words(row, "version")
    below, last = words(row, "lessThan"), words(row, "lessThanOrEqual")
    if below or last:
        start = "" if version in ("", "0", "unspecified", "n/a") else version.lstrip("v")
        yield Range(start, below.lstrip("v"), last.lstrip("v"))
        return
    start, fixed, last = "", "", ""
    for sign, number in re.findall(r"(>=|<=|<|>|=)\s*v?([\w.\-]+)", version):
        if sign == ">=":
            start = number
        elif sign == "<":
            fixed = number
        elif sign == "<=":
            last = number
        elif sign == "=":
            start = last = number
    if fixed or last:
        yield Range(start, fixed, last)


def _score(cna: Mapping[str, Any]) -> tuple[Severity | None, float | None, str]:
    for metric in rows(cna, "metrics"):
        for key in ("cvssV4_0", "cvssV3_1", "cvssV3_0"):
            found = metric.get(key)
            if isinstance(found, dict) and isinstance(found.get("baseScore"), int | float):
                word = words(found, "baseSeverity").lower()
                severity = Severity(word) if word in ("critical", "high", "medium", "low") else None
                return severity, float(found["baseScore"]), words(found, "vectorString")
    return None, None, ""
