"""Reports of Oracle's OCI GPU scanner: short tests of every GPU of a node, AMD or NVIDIA."""

from collections.abc import Iterator
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.device import DeviceTest
from assay.probes.pasted import clean, count, documents, real, tried, words

REPORT = saved(
    "oci-gpu-scanner",
    looks_like=r'"dtype":\s*"\w+",\s*"timestamp":\s*"[^"]*",\s*"tests":\s*\{\s*"\w+":\s*\{[^{}]*'
    r"(?:\{[^{}]*)*",
)
TOOL = "oci-gpu-scanner"

# The figure of each test that says how well it went, best known first. Its "bandwidth_gbps" is
# bytes over seconds over 10^9.
_FIGURES = (
    ("tflops", "TFLOP/s"), ("effective_tflops", "TFLOP/s"), ("achieved_tflops", "TFLOP/s"),
    ("total_tflops", "TFLOP/s"), ("bandwidth_gbps", "GB/s"), ("max_diff", "difference"),
    ("duration", "s"),
)  # fmt: skip
_WANTED = ("threshold_gbps", "mfu_baseline", "tolerance", "reason", "result")


@probe("oci.gpu-scanner", reads=[REPORT])
def report(seen: Seen) -> Iterator[Accelerator | DeviceTest]:
    """What OCI's GPU scanner measured on each GPU, and its own verdicts."""
    if tried(seen, REPORT) is None:
        return
    parts = [
        part
        for document in documents(clean(seen.text(REPORT)), "the scanner's report")
        for part in (document if isinstance(document, list) else [document])
        if isinstance(part, dict)
    ]
    reports = [part for part in parts if isinstance(part.get("tests"), dict)]
    if not reports:
        raise Unread("the scanner's report has no tests")
    for part in reports:
        yield from _gpus(part.get("gpu_info"))
        for name, test in part["tests"].items():
            yield from _test(str(name), test)
        if words(part.get("final_result")):
            yield DeviceTest(TOOL, "final_result", "", words(part["final_result"]))
    for part in parts:
        if part not in reports:
            yield from _collectives(part)


def _gpus(info: object) -> Iterator[Accelerator]:
    about = info if isinstance(info, dict) else {}
    name = words(about.get("gpu_name"))
    vendor = next((v for v in ("nvidia", "amd") if name.lower().startswith(v)), "")
    for index in range(min(count(about.get("gpu_count")) or 0, 1024) if vendor else 0):
        yield Accelerator(vendor, index, name)


def _test(name: str, test: object) -> Iterator[DeviceTest]:
    if not isinstance(test, dict):
        return
    status = words(test.get("status")) or words(test.get("overall_status"))
    if status:
        yield _result(name, "", words(test.get("result")) or status, test)
    for key in ("gpu_results", "per_gpu"):
        if isinstance(test.get(key), dict):
            test = {**test, **test[key]}
    for device, result in test.items():
        if isinstance(result, dict) and device not in ("gpu_results", "per_gpu", "parsed"):
            yield _result(name, str(device), words(result.get("status")), result)
        elif device.startswith("GPU") and isinstance(result, str):
            yield DeviceTest(TOOL, name, device, result)


def _result(name: str, device: str, status: str, result: dict[str, Any]) -> DeviceTest:
    figures = ((real(result.get(key)), unit) for key, unit in _FIGURES)
    value, unit = next(((v, u) for v, u in figures if v is not None), (None, ""))
    wanted = (f"{key} {words(result.get(key))}" for key in _WANTED if words(result.get(key)))
    return DeviceTest(TOOL, name, device, status, value, unit, ", ".join(wanted))


def _collectives(part: dict[str, Any]) -> Iterator[DeviceTest]:
    """Bus bandwidth of nccl-tests or rccl-tests, one figure for each run."""
    for name, figures in part.items():
        for figure in figures if isinstance(figures, list) else ():
            value = real(figure)
            if str(name).endswith("_perf") and value is not None:
                yield DeviceTest(TOOL, str(name), "", "completed", value, "GB/s")
