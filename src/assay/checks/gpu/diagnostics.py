"""A diagnostic that failed has found what counters only hint at."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.device import DeviceTest
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_dcgm_diag import DIAG

# Results of DCGM's diagnostic and health watch and of the clouds' scanners, in lower case.
PASS = ("pass", "passed", "healthy", "ok")
FAIL = ("fail", "failed", "failure", "error", "unhealthy")
WARN = ("warn", "warning")
LEFT_OUT = ("skip", "skipped", "not run", "completed")  # neither good nor bad news


@check(
    "gpu.diagnostics",
    asks="Did the vendor's diagnostic pass every test that it ran?",
    severity=Severity.CRITICAL,
    why="A GPU that fails its maker's own diagnostic will fail jobs, or spoil their results.",
    fix="Drain the node; follow the advice in the test's message, run it again after a reset, and "
    "replace the GPU if it fails again.",
    see=["https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/dcgm-diagnostics.html"],
    reproduce="dcgmi diag -r 1  # on an idle node: it loads the GPUs",
    plants=[
        plant(Edit(DIAG.source, old="| Page Retirement/Row Remap | Pass",
                   new="| Page Retirement/Row Remap | Fail"), name="a test fails"),
    ],
)  # fmt: skip
def diagnostics(tests: Sequence[DeviceTest]) -> Iterator[Verdict]:
    """One verdict for each device and tool that was tested; an unlisted result never passes."""
    by_device: dict[tuple[str, str], list[DeviceTest]] = defaultdict(list)
    for test in tests:
        by_device[test.tool, test.device or HOST].append(test)
    for (tool, device), results in by_device.items():
        yield _judge(tool, device, results)


def _judge(tool: str, device: str, tests: Sequence[DeviceTest]) -> Verdict:
    results: dict[str, list[DeviceTest]] = defaultdict(list)
    for test in tests:
        word = test.status.strip().lower()
        kinds = {"fail": FAIL, "warn": WARN, "pass": PASS, "left out": LEFT_OUT}
        results[next((k for k, words in kinds.items() if word in words), "strange")].append(test)
    if bad := results["fail"]:
        return failed(device, f"{tool}: {_named(bad)}")
    if odd := results["strange"]:
        return unknown(device, f"{tool}: {_named(odd)}: a result that is not listed")
    if warned := results["warn"]:
        return failed(device, f"{tool}: {_named(warned)}", severity=Severity.MEDIUM)
    left = f", {len(results['left out'])} left out" if results["left out"] else ""
    if good := results["pass"]:
        return passed(device, f"{tool}: {len(good)} tests passed{left}")
    return unknown(device, f"{tool}: no test ran{left}")


def _named(tests: Sequence[DeviceTest]) -> str:
    return "; ".join(
        f"{test.test} {test.status}" + (f" ({test.detail[:160]})" if test.detail else "")
        for test in tests[:5]
    )
