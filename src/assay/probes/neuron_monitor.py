"""One report of neuron-monitor: executions, errors and memory of every process, ECC counters."""

import json
import re
from collections.abc import Iterator
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.device import RuntimeReport
from assay.probes.neuron_ls import NEURON, chip
from assay.probes.pasted import clean, count, documents, real, tried, words

MONITOR = saved(
    "neuron-monitor",
    looks_like=r'"(?:neuron_runtime_data|neuron_hw_counters|neuroncore_counters|execution_stats'
    r'|neuron_hardware_info|neuron_runtime_used_bytes|neuron_runtime_vcpu_usage)":\s*[\[{]'
    r"[\s\S]{0,200}",
)
_GROUPS = ("execution_stats", "neuroncore_counters", "memory_used", "neuron_runtime_vcpu_usage")
Fact = Accelerator | RuntimeReport
Group = dict[str, Any]


@probe("neuron.monitor", reads=[MONITOR])
def report(seen: Seen) -> Iterator[Fact]:
    """What neuron-monitor counted: failed executions, latency, memory, ECC errors."""
    if tried(seen, MONITOR) is None:
        return
    document = _last(clean(seen.text(MONITOR)))
    runtimes = document.get("neuron_runtime_data")
    for runtime in runtimes if isinstance(runtimes, list) else ():
        if isinstance(runtime, dict):
            yield _runtime(_map(runtime, "report"), runtime)
    if any(group in document for group in _GROUPS):
        yield _runtime(document, {})
    yield from _devices(document)


def _last(text: str) -> Group:
    """The newest report. A pasted part has no braces around it and may end in a comma."""
    if re.search(r"\[\.\.\.\]", text):
        raise Unread("this outlines a report of neuron-monitor: its values are left out ([...])")
    if re.match(r'\s*"\w+":', text):
        try:
            found = json.loads("{" + text.strip().rstrip(",") + "}")
        except (ValueError, RecursionError) as error:
            raise Unread(f"this part of a neuron-monitor report is not JSON: {error}") from error
    else:
        found = documents(text, "neuron-monitor's report")[-1]
    if not isinstance(found, dict):
        raise Unread("neuron-monitor's report is not a JSON object")
    return found


def _map(of: Group, *names: str) -> Group:
    """The mapping at the end of a path of names; empty when there is none."""
    for name in names:
        inner = of.get(name)
        of = inner if isinstance(inner, dict) else {}
    return of


def _runtime(groups: Group, runtime: Group) -> RuntimeReport:
    stats = _map(groups, "execution_stats")
    summary = _map(stats, "execution_summary")
    latency = _map(stats, "latency_stats", "total_latency") or _map(
        stats, "latency_stats", "device_latency"
    )
    failed = {**_map(stats, "error_summary"), **summary}
    failed.pop("completed", None)
    used = real(_map(groups, "memory_used", "neuron_runtime_used_bytes").get("neuron_device"))
    cores = _map(groups, "neuroncore_counters", "neuroncores_in_use")
    busy = [(str(core), real(_map(cores, core).get("neuroncore_utilization"))) for core in cores]
    return RuntimeReport(
        vendor=NEURON,
        pid=count(runtime.get("pid")),
        name=words(runtime.get("neuron_runtime_tag")),
        period_seconds=real(stats.get("period")),
        completed=count(summary.get("completed")),
        errors=tuple((str(k), n) for k, v in failed.items() if (n := count(v)) is not None),
        latency_p50=real(latency.get("p50")),
        latency_p99=real(latency.get("p99")),
        device_memory_mib=used / 2**20 if used is not None else None,
        utilization=tuple((core, percent) for core, percent in busy if percent is not None),
        error=words(runtime.get("error")) or words(stats.get("error")),
    )


def _devices(document: Group) -> Iterator[Accelerator]:
    hardware = _map(document, "neuron_hardware_info")
    counters = _map(document, "system_data", "neuron_hw_counters") or _map(
        document, "neuron_hw_counters"
    )
    size = real(hardware.get("neuron_device_memory_size"))
    product = chip(words(_map(document, "instance_info").get("instance_type")))
    listed = counters.get("neuron_devices")
    by_index = {
        index: item
        for item in (listed if isinstance(listed, list) else ())
        if isinstance(item, dict) and (index := count(item.get("neuron_device_index"))) is not None
    }
    known = min(count(hardware.get("neuron_device_count")) or 0, 1024)
    for index in sorted(by_index.keys() | set(range(known))):
        item = by_index.get(index, {})
        yield Accelerator(
            NEURON,
            index,
            product,
            memory_mib=size / 2**20 if size is not None else None,
            ecc_corrected_volatile=_sum(item, "mem_ecc_corrected", "sram_ecc_corrected"),
            ecc_uncorrected_volatile=_sum(item, "mem_ecc_uncorrected", "sram_ecc_uncorrected"),
        )


def _sum(item: Group, *names: str) -> int | None:
    found = [count(item.get(name)) for name in names]
    return sum(n or 0 for n in found) if any(n is not None for n in found) else None
