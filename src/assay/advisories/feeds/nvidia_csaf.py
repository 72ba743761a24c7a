"""NVIDIA's security bulletins (CSAF 2.0): products, affected versions, and the update for each."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assay.advisories.feeds.feed import BadFeed, day, document, feed, inner, rows, texts, words
from assay.advisories.records import scheme_of
from assay.advisories.versions import BadVersion
from assay.advisories.versions import parse as parse_version
from assay.model.advisory import Advisory, Range
from assay.model.outcome import Severity

# How bulletins call products -> component. The first that matches counts.
_PRODUCTS: tuple[tuple[str, str], ...] = (
    (r"vgpu.*(?:manager|host)|virtual gpu manager", "nvidia-vgpu-manager"),
    (r"vgpu.*guest|guest driver", "nvidia-vgpu-guest-driver"),
    (r"geforce|quadro|nvs|rtx|tesla|gpu display driver|data ?center", "nvidia-driver"),
    (r"container toolkit", "nvidia-container-toolkit"),
    (r"gpu operator", "nvidia-gpu-operator"),
    (r"kubernetes device plugin|k8s device plugin", "nvidia-k8s-device-plugin"),
    (r"mig manager", "nvidia-mig-manager"),
    (r"dcgm.?exporter", "dcgm-exporter"),
    (r"dcgm|data center gpu manager", "dcgm"),
    (r"cuda toolkit", "cuda-toolkit"),
    (r"hpc sdk", "hpc-sdk"),
    (r"triton", "triton-inference-server"),
    (r"tensorrt.?llm", "tensorrt-llm"),
    (r"nemo", "nvidia-nemo"),
    (r"megatron", "megatron-lm"),
    (r"dynamo", "nvidia-dynamo"),
)
_BEFORE = re.compile(r"(?:prior to|before|lower than)\s+(?:version\s+)?v?(?P<v>\d[\w.\-]*\w)", re.I)
_UPTO = re.compile(r"(?:up to and including|through)\s+(?:version\s+)?v?(?P<v>\d[\w.\-]*\w)", re.I)
_ONLY = re.compile(r"\(([^)]*\bonly\b[^)]*)\)", re.I)
_PLAIN = re.compile(r"v?(\d[\w.\-]*)")
_NOT_HERE = re.compile(r"windows|jetson|shield|android", re.I)


class _Product(NamedTuple):
    component: str
    text: str  # the version, or words about versions
    family: str  # what the product id starts with: pairs affected with fixed


@feed(
    "nvidia-csaf",
    urls=("https://codeload.github.com/NVIDIA/product-security/tar.gz/refs/heads/main",),
    licence="NVIDIA terms of use",
    members=r".*/\d{4}/(\d+)/\1\.json",
)
def parse(data: bytes, name: str = "") -> Iterator[Advisory]:
    """NVIDIA's bulletins: drivers, vGPU, toolkits, DCGM, CUDA and the inference stack."""
    given = document(data, "an NVIDIA bulletin")
    about = given.get("document")
    if not isinstance(about, dict) or not words(about, "csaf_version").startswith("2."):
        raise BadFeed("it is not a CSAF 2 document")
    products = dict(_products(given.get("product_tree")))
    number = words(inner(about, "tracking"), "id")
    for vulnerability in rows(given, "vulnerabilities"):
        yield from _advisories(vulnerability, products, number)


def _products(tree: object, os: str = "") -> Iterator[tuple[str, _Product]]:
    """Every product version in the tree, by id, that runs on Linux."""
    if not isinstance(tree, dict):
        raise BadFeed("a bulletin has no product tree")
    for branch in rows(tree, "branches"):
        if words(branch, "category") == "architecture":
            os = words(branch, "name")
        product = branch.get("product")
        if isinstance(product, dict) and words(branch, "category") == "product_version":
            name, id = words(branch, "name"), words(product, "product_id")
            component = next((c for p, c in _PRODUCTS if re.search(p, name, re.I)), "")
            if component and not _NOT_HERE.search(f"{os} {name}"):
                text = words(product, "name")
                yield id, _Product(component, text, f"{os} {name}")
        if "branches" in branch:
            yield from _products(branch, os)


def _advisories(
    given: Mapping[str, Any], products: Mapping[str, _Product], number: str
) -> Iterator[Advisory]:
    cve = words(given, "cve")
    status = given.get("product_status")
    if not cve or not isinstance(status, dict):
        raise BadFeed("a vulnerability of a bulletin has no CVE or no status")
    fixed = [products[id] for id in texts(status, "fixed") if id in products]
    found: dict[str, list[Range]] = {}
    for id in texts(status, "known_affected"):
        if id in products:
            product = products[id]
            row = _range(product, fixed)
            if row is not None:
                found.setdefault(product.component, []).append(row)
    severity, score, vector = _score(given)
    for component, ranges in found.items():
        yield Advisory(
            component=component,
            id=cve,
            title=f"Vulnerability in {component}",
            ranges=tuple(dict.fromkeys(ranges)),
            severity=severity,
            cvss=score,
            vector=vector,
            url=f"https://nvidia.custhelp.com/app/answers/detail/a_id/{number}",
            references=(f"https://www.cve.org/CVERecord?id={cve}",),
            published=day(words(given, "release_date")),
            sources=("nvidia-csaf",),
            cwe=words(inner(given, "cwe"), "id"),
            layer="host",
        )


def _range(product: _Product, fixed: list[_Product]) -> Range | None:
    before, upto = _BEFORE.search(product.text), _UPTO.search(product.text)
    only = _ONLY.search(product.text)
    conditions = (only.group(1).strip(),) if only else ()
    bound = before["v"] if before else ""
    last = upto["v"] if upto else ""
    update = bound or _update(product, last, fixed)
    if not (update or last):
        return None  # "all versions" with no update: nothing to compare with
    branch = _branch(product.component, update or last)
    return Range(
        fixed=update, last_affected=last, branch=branch, inside=bool(branch), conditions=conditions
    )


def _update(product: _Product, last: str, fixed: list[_Product]) -> str:
    """The update in the same row of the bulletin: same product and system, same branch."""
    wanted = _branch(product.component, last)
    for candidate in fixed:
        plain = _PLAIN.fullmatch(candidate.text)
        if plain is None or candidate.family != product.family:
            continue
        if not wanted or _branch(product.component, plain[1]) == wanted:
            return plain[1]
    return ""


def _branch(component: str, version: str) -> str:
    name = scheme_of(component)
    if name not in ("driver", "vgpu"):
        return ""
    try:
        return parse_version(name, version).branch
    except BadVersion:
        return ""


def _score(given: Mapping[str, Any]) -> tuple[Severity | None, float | None, str]:
    for row in rows(given, "scores"):
        found = row.get("cvss_v3")
        if isinstance(found, dict) and isinstance(found.get("baseScore"), int | float):
            word = words(found, "baseSeverity").lower()
            severity = Severity(word) if word in ("critical", "high", "medium", "low") else None
            return severity, float(found["baseScore"]), words(found, "vectorString")
    return None, None, ""
