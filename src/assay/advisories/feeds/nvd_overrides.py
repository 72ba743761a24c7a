"""Anchore's corrections of NVD: version ranges by CPE, written by hand and in the public domain."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.advisories.feeds.feed import BadFeed, day, document, feed, rows, texts, words
from assay.model.advisory import Advisory, Range

# vendor:product of a CPE -> component
PRODUCTS = {
    "docker:engine": "docker-engine",
    "docker:docker": "docker-engine",
    "mobyproject:moby": "docker-engine",
    "kubernetes:kubernetes": "kubernetes",
    "linuxfoundation:containerd": "containerd",
    "linuxfoundation:runc": "runc",
    "gnu:glibc": "glibc",
    "openbsd:openssh": "openssh",
    "sudo_project:sudo": "sudo",
    "systemd_project:systemd": "systemd",
    "kernel:util-linux": "util-linux",
    "qemu:qemu": "qemu",
    "grafana:grafana": "grafana",
    "lfprojects:mlflow": "mlflow",
    "vllm:vllm": "vllm",
    "anyscale:ray": "ray",
    "lfprojects:ray": "ray",
    "redhat:ceph": "ceph",
    "dpdk:data_plane_development_kit": "dpdk",
    "schedmd:slurm": "slurm",
}


@feed(
    "nvd-data-overrides",
    urls=("https://codeload.github.com/anchore/nvd-data-overrides/tar.gz/refs/heads/main",),
    licence="CC0-1.0",
    members=r".*/data/\d{4}/CVE-\d{4}-\d+\.json",
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """Version ranges of CVEs that NVD has not analysed or got wrong."""
    given = document(data, "an NVD override")
    note = given.get("_annotation")
    if not isinstance(note, dict) or not words(note, "cve_id").startswith("CVE-"):
        raise BadFeed("an NVD override names no CVE")
    for component, ranges in _ranges(given.get("cve")).items():
        yield Advisory(
            component=component,
            id=words(note, "cve_id"),
            title=f"Vulnerability in {component}",
            ranges=tuple(dict.fromkeys(ranges)),
            url=f"https://nvd.nist.gov/vuln/detail/{words(note, 'cve_id')}",
            references=tuple(
                link for link in texts(note, "references") if link.startswith("https://")
            ),
            published=day(words(note, "published")),
            sources=("nvd-data-overrides",),
            layer="host",
        )  # fmt: skip


def _ranges(cve: object) -> dict[str, list[Range]]:
    if not isinstance(cve, dict):
        raise BadFeed("an NVD override has no cve object")
    found: dict[str, list[Range]] = {}
    for configuration in rows(cve, "configurations"):
        for node in rows(configuration, "nodes"):
            for match in rows(node, "cpeMatch"):
                parts = words(match, "criteria").split(":")
                component = PRODUCTS.get(":".join(parts[3:5]))
                if component and match.get("vulnerable") is True:
                    found.setdefault(component, []).append(_range(match, parts))
    return found


def _range(match: Mapping[str, Any], parts: list[str]) -> Range:
    start = words(match, "versionStartIncluding")
    fixed, last = words(match, "versionEndExcluding"), words(match, "versionEndIncluding")
    if not (start or fixed or last) and parts[5] not in ("*", "-"):
        return Range(introduced=parts[5], last_affected=parts[5])
    return Range(start, fixed, last)
