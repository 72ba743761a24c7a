import json

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.device import DeviceAffinity, DeviceTest, NicCard, NicPort, PeerPath
from assay.probes import amd_nicctl, gpustack, oci_gpu_scanner

PROBES = catalogue().probes


def read(parser, reading, value):
    text = value if isinstance(value, str) else json.dumps(value, indent=2)
    capture = Capture(reading.source, text.encode(), exit_code=0)
    return list(parser(Seen(Evidence("n", {capture.source: capture}))))


def recognised(value):
    return parse(json.dumps(value, indent=2).encode(), PROBES).source


def detected(**more):
    return {"manufacturer": "ascend", "index": 0, "name": "910B3", "uuid": "aa",
            "driver_version": "25.2.0", "memory": 65536, "memory_used": 10,
            "memory_status": "healthy", "temperature": 40, "power": None, "power_used": None,
            "appendix": {"bdf": "0000:C1:00.0", "numa": "3"}, **more}  # fmt: skip


def test_gpustack_detects_any_maker():
    value = [detected(), detected(index=1, manufacturer="nvidia", appendix={"mig": True}),
             detected(index=2, memory_status="unhealthy", appendix=None)]  # fmt: skip
    facts = read(gpustack.devices, gpustack.DETECT, value)
    first, second, third = (f for f in facts if isinstance(f, Accelerator))
    assert (first.vendor, first.bdf, first.memory_mib) == ("ascend", "0000:c1:00.0", 65536)
    assert (first.power_w, first.fault) == (None, "")
    assert (second.vendor, second.partition_mode) == ("nvidia", "enabled")
    assert "unhealthy" in third.fault
    assert DeviceAffinity("ascend", 0, 3) in facts
    assert recognised(value) == gpustack.DETECT.source


def test_gpustack_knows_distances():
    value = [
        {
            "manufacturer": "amd",
            "devices_distances": [[0, 5], [50, 0]],
            "devices_cpu_affinities": ["0-3", "4-7"],
            "devices_numa_affinities": ["0", "1"],
        }
    ]
    facts = read(gpustack.topology, gpustack.TOPOLOGY, value)
    assert facts[:2] == [PeerPath("amd", 0, 1, "link", None, 5),
                         PeerPath("amd", 1, 0, "sys", None, 50)]  # fmt: skip
    assert facts[3] == DeviceAffinity("amd", 1, 1, "4-7")
    assert recognised(value) == gpustack.TOPOLOGY.source


def test_gpustack_with_nothing_in_it():
    for parser, reading in ((gpustack.devices, gpustack.DETECT),
                            (gpustack.topology, gpustack.TOPOLOGY)):  # fmt: skip
        with pytest.raises(Unread):
            read(parser, reading, [])


def test_the_scanner_of_oci():
    value = [
        {"dtype": "float16", "timestamp": "t", "tests": {
            "compute_throughput": {"status": "completed", "result": "passed", "total_tflops": 900.5,
                                   "gpu_results": {"GPU-a": {"tflops": 450.0}}},
            "memory_bandwidth": {"GPU-a": {"bandwidth_gbps": 2600.0, "threshold_gbps": 5300,
                                           "status": "WARNING"}},
            "gpu_topology": {"status": "skipped", "reason": "AMD"},
            "gpu_power_check": {"overall_status": "PASSED", "per_gpu": {"GPU-0": "PASSED"}}},
         "gpu_info": {"gpu_count": 2, "gpu_name": "AMD Instinct MI300X"},
         "final_result": "fail"},
        {"all_reduce_perf": ["300.5"]},
    ]  # fmt: skip
    facts = read(oci_gpu_scanner.report, oci_gpu_scanner.REPORT, value)
    assert [f.product for f in facts if isinstance(f, Accelerator)] == ["AMD Instinct MI300X"] * 2
    tests = [f for f in facts if isinstance(f, DeviceTest)]
    told = {(t.test, t.device): (t.status, t.value, t.unit) for t in tests}
    assert told["compute_throughput", ""] == ("passed", 900.5, "TFLOP/s")
    assert told["compute_throughput", "GPU-a"] == ("", 450.0, "TFLOP/s")
    assert told["memory_bandwidth", "GPU-a"] == ("WARNING", 2600.0, "GB/s")
    assert told["gpu_topology", ""][0] == "skipped"
    assert told["gpu_power_check", "GPU-0"][0] == "PASSED"
    assert told["final_result", ""][0] == "fail"
    assert told["all_reduce_perf", ""] == ("completed", 300.5, "GB/s")
    assert recognised(value) == oci_gpu_scanner.REPORT.source


def test_network_cards_and_ports_of_amd():
    card = {"id": "c1", "pcie_bdf": "0000:41:00.0", "eth_bdf": "0000:44:00.0",
            "product_name": "POLLARA 1x400G", "firmware_version": "1.2.3",
            "current_firmware_partition": "A", "next_boot_firmware_partition": "B"}  # fmt: skip
    (found,) = read(amd_nicctl.cards, amd_nicctl.CARDS, {"nic": [card]})
    assert found == NicCard("amd", "c1", "0000:41:00.0", "0000:44:00.0", "POLLARA 1x400G", "",
                            "1.2.3", "A", "B")  # fmt: skip
    port = {
        "spec": {"name": "eth1/1", "admin_state": "UP", "port_speed": "400G", "mtu": "9216"},
        "status": {
            "operational_status": "DOWN",
            "port_speed": "NONE",
            "number_of_lanes": "4",
            "number_of_link_down_events": "3",
            "transceiver_temperature": "41",
        },
    }
    (found,) = read(amd_nicctl.ports, amd_nicctl.PORTS, {"nic": [{"id": "c1", "port": [port]}]})
    assert found == NicPort("amd", "c1", "eth1/1", "UP", "DOWN", None, 400, 4, 9216, link_downs=3,
                            temperature_c=41)  # fmt: skip
    assert recognised({"nic": [card]}) == amd_nicctl.CARDS.source
    assert recognised({"nic": [{"id": "c1", "port": [port]}]}) == amd_nicctl.PORTS.source
    with pytest.raises(Unread):
        read(amd_nicctl.cards, amd_nicctl.CARDS, {"nic": []})
