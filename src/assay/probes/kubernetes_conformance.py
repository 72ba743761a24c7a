"""Evidence of the CNCF's AI conformance tests: Markdown with commands, answers and verdicts."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.kubernetes import (
    ConformanceResult,
    KubernetesAccelerators,
    KubernetesDaemonSet,
    KubernetesNode,
)
from assay.probes.pasted import clean
from assay.probes.rdma_words import lines

EVIDENCE = saved(
    "kubernetes-conformance",
    # the whole report, not the tool outputs that it quotes
    looks_like=r"^[ \t]*#+ .*(?:Verification|Conformance).*\n(?:.*\n){0,80}"
    r"|^[ \t]*> kubectl .*\n(?:.*\n){0,80}"
    r"|^[ \t]*\* Found DaemonSet: .*$|^&(?:check|cross);.*$",
)

_DAEMON_SET = re.compile(
    r"Found DaemonSet:? `?([\w.-]+)`? \(Ready:? (\d{1,6})/(\d{1,6})\)", re.IGNORECASE
)
_GPUS = re.compile(r"Node `?([\w.-]+)`? has (\d{1,4}) (NVIDIA|AMD|Intel)? ?(?:GPU|accelerator)s?")
_GPU = re.compile(r"^GPU (\d{1,3}): (.+?) \(UUID: ([^)\s]+)\)", re.MULTILINE)
_GET_NODES = re.compile(
    r"^[>$] kubectl get (?:nodes|node|no)\b.*\n\s{0,9}```\s{0,9}```\s{0,9}\n((?:.*\n)*?)```",
    re.MULTILINE,
)
_DRIVER = re.compile(
    r"^(?:DRIVER version\s*:|Driver Version:|driver_version:)\s*(\d[\w.-]*)", re.M | re.I
)
_CUDA = re.compile(r"^CUDA Version\s*:\s*(\d[\w.]*)", re.MULTILINE | re.IGNORECASE)
_MARK = re.compile(
    r"^[ \t]*(?:[*-]\s+)?(&check;|&cross;|[✓✔✅✗✘❌]|\[PASS\]|\[FAIL\]|PASS(?:ED)?:|FAIL(?:ED)?:)"
    r"\s*(.*\S)\s?$"
)
_GOOD = ("&check;", "✓", "✔", "✅", "[PASS]", "PASS:", "PASSED:")
_BAD_WORDS = re.compile(r"\b(?:FAILED|FAIL|not (?:verified|healthy|found))\b")


@probe("kubernetes.conformance", reads=[EVIDENCE])
def evidence(
    seen: Seen,
) -> Iterator[KubernetesNode | KubernetesAccelerators | KubernetesDaemonSet | ConformanceResult]:
    """Nodes, DaemonSets, drivers and verdicts in a saved conformance report."""
    if seen.capture(EVIDENCE) is None:
        return
    text = clean(seen.text(EVIDENCE))
    found = [*_nodes(text), *_daemon_sets(text), *_driver(text), *_verdicts(text)]
    yield from found
    if not found:
        raise Unread("no result of a conformance test is in it")


def _nodes(text: str) -> Iterator[KubernetesNode | KubernetesAccelerators]:
    known: set[str] = set()
    for name, number, maker in dict.fromkeys(_GPUS.findall(text)):
        vendor = maker.lower() or "nvidia"
        resource = {"intel": "gpu.intel.com/i915"}.get(vendor, f"{vendor}.com/gpu")
        known.add(name)
        yield KubernetesNode(name, capacity=((resource, number),))
        yield KubernetesAccelerators(name, vendor, count=int(number))
    # the answer to `kubectl get nodes` names the nodes without accelerators too
    for answer in _GET_NODES.findall(text):
        for line in lines(answer):
            name = line.split()[0] if line.split() else ""
            if re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,252}", name) and name not in known:
                known.add(name)
                yield KubernetesNode(name)


def _daemon_sets(text: str) -> Iterator[KubernetesDaemonSet]:
    for name, ready, desired in dict.fromkeys(_DAEMON_SET.findall(text)):
        yield KubernetesDaemonSet(name, int(ready), int(desired))


def _driver(text: str) -> Iterator[KubernetesAccelerators]:
    """What a diagnostic pod said about the driver; the node that it ran on is not told."""
    driver, cuda = _DRIVER.search(text), _CUDA.search(text)
    devices = _GPU.findall(text)
    if driver is None and not devices:
        return
    products = sorted({product for _, product, _ in devices}) or [""]
    for product in products:
        yield KubernetesAccelerators(
            "",
            "nvidia",
            product=product,
            count=sum(p == product for _, p, _ in devices) or None,
            driver=driver.group(1) if driver else "",
            cuda=cuda.group(1) if cuda else "",
        )


def _verdicts(text: str) -> Iterator[ConformanceResult]:
    title = re.search(r"^#+\s+(.*\S)\s?$", text, re.MULTILINE)
    test = title.group(1) if title else ""
    for line in lines(text):
        mark = _MARK.match(line)
        if mark is not None:
            good = mark.group(1) in _GOOD and not _BAD_WORDS.search(mark.group(2))
            yield ConformanceResult(test, good, mark.group(2))
