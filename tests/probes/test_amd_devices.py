import json

import pytest

from assay.demo.hosts import host
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.accelerator import Accelerator, ScaleUpLink, VendorToolError
from assay.model.facts.device import DeviceProcess, GpuPartition, RasBlock, ToolAnswer
from assay.probes import amd_devices
from assay.probes.amd_devices import METRIC, ROCM, STATIC, XGMI

BANNER = "ERROR:root:Driver not initialized (amdgpu not found in modules)\n"


def seen(*captures):
    return Seen(Evidence("n", {c.source: c for c in captures}))


def printed(reading, value, **more):
    text = value if isinstance(value, str) else json.dumps(value, indent=4)
    return Capture(reading.source, text.encode(), exit_code=more.pop("exit_code", 0), **more)


def kinds(facts, kind):
    return [fact for fact in facts if isinstance(fact, kind)]


def test_the_reference_node_is_read_whole():
    evidence = host("mi300x")
    facts = list(amd_devices.devices(Seen(evidence)))
    gpus = kinds(facts, Accelerator)
    assert [gpu.index for gpu in gpus] == list(range(8))
    last = gpus[7]
    assert (last.product, last.bdf, last.driver) == (
        "AMD Instinct MI300X",
        "0000:df:00.0",
        "6.12.12",
    )
    assert (last.memory_mib, last.memory_used_mib) == (196592, 283)
    assert (last.temperature_c, last.memory_temperature_c) == (41, 33)
    assert (last.power_w, last.power_limit_w) == (138, 750)
    assert (last.pcie_generation, last.pcie_width, last.pcie_replays) == (5, 16, 0)
    assert last.ecc_enabled is True
    assert last.ecc_uncorrected_volatile == 0
    assert last.throttle == ()
    assert last.partition_mode == "SPX/NPS1"
    assert kinds(facts, ToolAnswer) == [
        ToolAnswer("amd", "amd-smi", 8, tuple(gpu.bdf for gpu in gpus))
    ]
    assert len(kinds(facts, RasBlock)) == 80


def test_rocm_7_wraps_the_list_and_has_two_power_limits():
    static = {
        "gpu_data": [
            {
                "gpu": 0,
                "asic": {"market_name": "AMD Instinct MI355X"},
                "ifwi": {"version": "00.01.02", "part_number": "113-X"},
                "limit": {
                    "ppt0": {"socket_power_limit": {"value": 1200, "unit": "W"}},
                    "ppt1": {"socket_power_limit": {"value": 1400, "unit": "W"}},
                },
                "driver": {"name": "amdgpu", "version": "6.14.14"},
                "vram": {"size": {"value": 294896, "unit": "MB"}},
                "ras": {"ecc_block_state": [{"block": "UMC", "status": "ENABLED"}]},
            }
        ]
    }
    (gpu,) = kinds(amd_devices.devices(seen(printed(STATIC, static))), Accelerator)
    assert (gpu.power_limit_w, gpu.memory_mib, gpu.firmware) == (1200, 294896, "00.01.02")
    assert gpu.ecc_enabled is True


def test_old_releases_print_bare_values():
    metric = [
        {
            "gpu": 0,
            "power": {"current_socket_power": 91, "throttle_status": "THROTTLED"},
            "temperature": {"edge": 40, "hotspot": "N/A", "mem": "N/A"},
            "pcie": {"current_lanes": 8, "current_speed": "16.0 GT/s", "replay_count": "N/A"},
            "ecc": {"total_correctable": 3, "total_uncorrectable": 1},
        }
    ]
    (gpu,) = kinds(amd_devices.devices(seen(printed(METRIC, metric))), Accelerator)
    assert (gpu.power_w, gpu.temperature_c, gpu.memory_temperature_c) == (91, 40, None)
    assert (gpu.pcie_width, gpu.pcie_generation, gpu.pcie_replays) == (8, 4, None)
    assert (gpu.ecc_corrected_volatile, gpu.ecc_uncorrected_volatile) == (3, 1)
    assert gpu.throttle == ("throttled",)


def test_active_violations_are_named():
    metric = [{"gpu": 0, "throttle": {"ppt_violation_status": "ACTIVE",
                                      "hbm_thermal_violation_status": "NOT ACTIVE",
                                      "ppt_accumulated": 9}}]  # fmt: skip
    (gpu,) = kinds(amd_devices.devices(seen(printed(METRIC, metric))), Accelerator)
    assert gpu.throttle == ("ppt",)


def test_memory_watched_by_the_host_is_not_called_unprotected():
    on = {"SDMA": "ENABLED", "GFX": "ENABLED", "MMHUB": "ENABLED"}
    apu = [{"gpu": 0, "ras": {"ecc_block_state": {"UMC": "DISABLED", **on}}}]
    card = [{"gpu": 0, "ras": {"ecc_block_state": {"UMC": "DISABLED", "GFX": "DISABLED"}}}]
    for static, expected in ((apu, None), (card, False)):
        (gpu,) = kinds(amd_devices.devices(seen(printed(STATIC, static))), Accelerator)
        assert gpu.ecc_enabled is expected


def test_rocm_smi_answers_where_there_is_no_amd_smi():
    lost = [Capture(r.source, status=Status.ABSENT) for r in (STATIC, METRIC)]
    rocm = {
        "card0": {"Card Series": "AMD Instinct MI210", "PCI Bus": "0000:0A:00.0",
                  "VRAM Total Memory (B)": "68702699520", "Compute Partition": "SPX",
                  "Memory Partition": "NPS1", "pcie clock level": "3 (16.0GT/s x16)"},
        "system": {"Driver version": "6.8.5"},
    }  # fmt: skip
    facts = list(amd_devices.devices(seen(*lost, printed(ROCM, rocm))))
    (gpu,) = kinds(facts, Accelerator)
    assert (gpu.product, gpu.bdf, gpu.driver) == ("AMD Instinct MI210", "0000:0a:00.0", "6.8.5")
    assert (gpu.memory_mib, gpu.pcie_generation, gpu.pcie_width) == (65520, 4, 16)
    assert kinds(facts, GpuPartition) == [GpuPartition(0, "SPX", "NPS1")]
    assert kinds(facts, ToolAnswer) == [ToolAnswer("amd", "rocm-smi", 1, ("0000:0a:00.0",))]


def test_a_banner_with_exit_code_0_is_an_error_and_no_value():
    # rocm-smi complains on stderr and exits with 0
    rocm = printed(ROCM, "", stderr=BANNER)
    facts = list(amd_devices.devices(seen(rocm)))
    (error,) = kinds(facts, VendorToolError)
    assert (error.tool, error.kind, error.exit_code) == ("rocm-smi", "driver-not-loaded", None)
    assert not kinds(facts, Accelerator)
    assert kinds(facts, ToolAnswer)[0].devices == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (BANNER, "driver-not-loaded"),
        ("ERROR:root:Drivers not loaded (amdgpu, amd_hsmp drivers not found in modules)",
         "driver-not-loaded"),
        ("ERROR:root:Unable to detect any GPU devices, check amdgpu version", "no-devices"),
        ("OSError: libamd_smi.so: cannot open shared object file: No such file", "no-library"),
        ("PermissionError: [Errno 13] Permission denied: '/dev/kfd'", "no-permission"),
        ("usage: amd-smi\namd-smi: error: unrecognized arguments: --json", "other"),
    ],
)  # fmt: skip
def test_errors_are_told_apart(text, kind):
    facts = list(amd_devices.devices(seen(printed(STATIC, text, exit_code=255))))
    assert [error.kind for error in kinds(facts, VendorToolError)] == [kind]
    assert kinds(facts, VendorToolError)[0].exit_code == 255


def test_half_of_the_answers_is_said_to_be_half():
    static = [{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X"}}]
    captures = [printed(STATIC, static), Capture(METRIC.source, status=Status.TIMEOUT)]
    facts = []
    with pytest.raises(Unread, match="timeout"):
        facts.extend(amd_devices.devices(seen(*captures)))
    with pytest.raises(Unread, match="0 or 1 GPUs"):
        facts.extend(amd_devices.devices(seen(printed(STATIC, static), printed(METRIC, []))))


def test_other_json_is_not_an_empty_node():
    with pytest.raises(Unread, match="something else"):
        list(amd_devices.devices(seen(printed(STATIC, {"devices": []}))))


def test_a_node_where_nothing_was_tried_says_nothing():
    assert list(amd_devices.devices(seen())) == []


def test_xgmi_links_by_peer():
    facts = list(amd_devices.xgmi(Seen(host("mi300x"))))
    links = kinds(facts, ScaleUpLink)
    assert len(links) == 56
    assert ScaleUpLink("amd", 0, 1, True, 64.0) in links


def test_xgmi_links_by_port_and_down():
    rows = [
        {"gpu": 0, "bdf": "0000:01:00.0", "link_status": ["U", "D", "X"]},
        {"gpu": 1, "bdf": "0000:02:00.0", "link_status": ["U", "U/D", "X"]},
    ]
    links = kinds(amd_devices.xgmi(seen(printed(XGMI, {"source_status": rows}))), ScaleUpLink)
    assert [(link.index, link.link, link.up) for link in links] == [
        (0, 0, True), (0, 1, False), (1, 0, True), (1, 1, False),
    ]  # fmt: skip


def test_pcie_cards_have_no_xgmi_links():
    rows = [{"gpu": 0, "link_metrics": {"bit_rate": "N/A", "max_bandwidth": "N/A",
             "link_type": "PCIE", "links": [{"gpu": 1, "read": "N/A"}]}}]  # fmt: skip
    assert list(amd_devices.xgmi(seen(printed(XGMI, rows)))) == []


def test_processes_in_json():
    process = [
        {"gpu": 0, "process_list": [{"process_info": {"name": "python3", "pid": 4242,
         "memory_usage": {"vram_mem": {"value": 2147483648, "unit": "B"}}}}]},
        {"gpu": 1, "process_list": [{"process_info": "No running processes detected"}]},
    ]  # fmt: skip
    facts = list(amd_devices.devices(seen(printed(STATIC, process))))
    assert kinds(facts, DeviceProcess) == [DeviceProcess("amd", 0, 4242, "python3", 2048.0)]
    assert [gpu.processes for gpu in kinds(facts, Accelerator)] == [1, 0]
