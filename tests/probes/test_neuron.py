import json

import pytest

from assay.demo.hosts import pack
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceAffinity, DeviceProcess, PeerPath, RuntimeReport
from assay.probes import neuron_ls, neuron_monitor
from assay.probes.neuron_ls import COUNTERS, NEURON_LS, TABLE
from assay.probes.neuron_monitor import MONITOR


def read(parser, *captures):
    return list(parser(Seen(Evidence("n", {c.source: c for c in captures}))))


def kinds(facts, kind):
    return [fact for fact in facts if isinstance(fact, kind)]


def device(index, **more):
    return {"neuron_device": index, "bdf": f"00:1{index}.0", "connected_to": [1 - index],
            "nc_count": 2, "memory_size": 34359738368, "neuron_processes": [], **more}  # fmt: skip


def test_json_with_counters_of_the_driver():
    text = json.dumps([device(0, numa_node="0", cpu_affinity="0-15"), device(1)])
    root = "/sys/devices/virtual/neuron_device/neuron1/stats/hardware/"
    counters = pack(COUNTERS, {root + "mem_ecc_uncorrected/total": "2\n",
                               root + "sram_ecc_uncorrected/total": "1\n"})  # fmt: skip
    facts = read(neuron_ls.devices, Capture(NEURON_LS.source, text.encode(), exit_code=0), counters)
    first, second = kinds(facts, Accelerator)
    assert (first.bdf, first.memory_mib, first.processes) == ("0000:00:10.0", 32768, 0)
    assert first.ecc_uncorrected_aggregate is None
    assert second.ecc_uncorrected_aggregate == 3
    assert kinds(facts, DeviceAffinity) == [DeviceAffinity("neuron", 0, 0, "0-15")]
    assert PeerPath("neuron", 0, 1, "neuronlink", 1) in facts


def test_json_in_a_wrapper_and_without_neighbours():
    text = json.dumps(
        {
            "instance_type": "inf2.8xlarge",
            "neuron_devices": [
                {"neuron_device": 0, "bdf": "0000:00:1f.0", "connected_to": None, "numa_node": "-1"}
            ],
        }
    )
    facts = read(neuron_ls.devices, Capture(NEURON_LS.source, text.encode(), exit_code=0))
    (chip,) = kinds(facts, Accelerator)
    assert (chip.product, chip.bdf, chip.memory_mib) == ("Inferentia2", "0000:00:1f.0", None)
    assert not kinds(facts, PeerPath)


def test_errors_are_no_devices():
    capture = Capture(NEURON_LS.source, b"neuron-ls: no neuron device found\n", exit_code=1)
    (error,) = read(neuron_ls.devices, capture)
    assert isinstance(error, VendorToolError)
    assert (error.kind, error.exit_code) == ("no-devices", 1)
    with pytest.raises(Unread):
        read(neuron_ls.devices, Capture(NEURON_LS.source, b"", exit_code=0))


def test_the_table_with_processes():
    text = b"""$ neuron-ls
instance-type: inf1.6xlarge
+--------+--------+--------+-----------+--------------+-------+-------------+---------+
| NEURON | NEURON | NEURON | CONNECTED |     PCI      |  PID  |   COMMAND   | RUNTIME |
| DEVICE | CORES  | MEMORY |  DEVICES  |     BDF      |       |             | VERSION |
+--------+--------+--------+-----------+--------------+-------+-------------+---------+
| 0      | 4      | 8 GB   | 1         | 0000:00:1c.0 | 23518 | app infer   | 2.0.0   |
|        |        |        |           |              | 23531 | app2 infer  | 2.0.0   |
+--------+--------+--------+-----------+--------------+-------+-------------+---------+
| 1      | 4      | 8 GB   | 0         | 0000:00:1d.0 |       |             |         |
+--------+--------+--------+-----------+--------------+-------+-------------+---------+
"""
    facts = read(neuron_ls.table, Capture(TABLE.source, text, exit_code=0))
    first, second = kinds(facts, Accelerator)
    assert (first.product, first.memory_mib, first.bdf) == ("Inferentia", 8192, "0000:00:1c.0")
    assert (first.processes, second.processes) == (2, 0)
    assert kinds(facts, DeviceProcess)[1] == DeviceProcess("neuron", 0, 23531, "app2 infer", None,
                                                           "2.0.0")  # fmt: skip


def test_a_report_of_the_monitor():
    text = json.dumps({
        "neuron_runtime_data": [{"pid": 9, "neuron_runtime_tag": "train", "error": "", "report": {
            "execution_stats": {
                "period": 5.0, "error_summary": {"hardware": 1, "numerical": 0},
                "execution_summary": {"completed": 70, "timed_out": 2},
                "latency_stats": {"total_latency": {"p50": 0.01, "p99": 0.02}}},
            "memory_used": {"neuron_runtime_used_bytes": {"neuron_device": 1048576}},
            "neuroncore_counters": {"neuroncores_in_use": {
                "0": {"neuroncore_utilization": 88.5}}}}}],
        "system_data": {"neuron_hw_counters": {"neuron_devices": [
            {"neuron_device_index": 0, "mem_ecc_corrected": 5, "mem_ecc_uncorrected": 1,
             "sram_ecc_corrected": 1, "sram_ecc_uncorrected": 0}]}},
        "neuron_hardware_info": {"neuron_device_count": 2,
                                 "neuron_device_memory_size": 34359738368},
        "instance_info": {"instance_type": "trn1.32xlarge"},
    })  # fmt: skip
    facts = read(neuron_monitor.report, Capture(MONITOR.source, text.encode(), exit_code=0))
    (run,) = kinds(facts, RuntimeReport)
    assert (run.pid, run.name, run.completed) == (9, "train", 70)
    assert dict(run.errors) == {"hardware": 1, "numerical": 0, "timed_out": 2}
    assert (run.latency_p50, run.latency_p99, run.device_memory_mib) == (0.01, 0.02, 1)
    assert run.utilization == (("0", 88.5),)
    first, second = kinds(facts, Accelerator)
    assert (first.product, first.memory_mib) == ("Trainium", 32768)
    assert (first.ecc_corrected_volatile, first.ecc_uncorrected_volatile) == (6, 1)
    assert second.ecc_uncorrected_volatile is None


def test_a_part_of_a_report_without_its_braces():
    text = b'"execution_stats": {"execution_summary": {"completed": 3}},\n'
    (run,) = read(neuron_monitor.report, Capture(MONITOR.source, text, exit_code=0))
    assert run.completed == 3


def test_an_outline_has_no_values():
    text = b'{"neuron_runtime_data": [{"report": {[...]}}]}'
    with pytest.raises(Unread, match="left out"):
        read(neuron_monitor.report, Capture(MONITOR.source, text, exit_code=0))
