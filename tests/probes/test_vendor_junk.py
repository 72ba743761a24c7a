"""Whatever is left of a vendor's output: facts or a reason, never an exception."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.understand import understand
from assay.model.evidence import Capture, Evidence

MINE = re.compile(r"(amd|tpu|neuron|gaudi|ascend|gpustack|oci|accelerator)\.")
PROBES = [probe for probe in catalogue().probes if MINE.match(probe.id)]
SAMPLES = {
    "amd-smi-text": "GPU: 0\n    ASIC:\n        MARKET_NAME: MI300X\n    BUS:\n"
    "        BDF: 0000:0c:00.0\n"
    "    RAS:\n        ECC_BLOCK_STATE:\n            UMC: ENABLED\n    ECC: [0 %,\n        N/A]\n",
    "amd-smi-json": '[{"gpu": 0, "uuid": "x", "process_list": [{"process_info": {"pid": 1}}],'
    ' "links": [{"gpu": 1, "link_type": "XGMI"}], "link_metrics": {"links": [{"gpu": 1}]}}]',
    "amd-smi-csv": "gpu,gpu_bdf,socket_power\n0,0000:0C:00.0,12\n",
    "amd-smi-monitor": "GPU  POWER  GPU_TEMP\n  0  199 W    103 °C\n\nGPU  NAME  PID  VRAM_MEM\n"
    "  0  a b  12  1 GB\n",
    "amd-smi-topology": "ACCESS TABLE:\n             0000:0a:00.0 0000:0b:00.0\n"
    "0000:0a:00.0 ENABLED      DISABLED\n0000:0b:00.0 ENABLED      ENABLED\n",
    "amd-smi-xgmi": "LINK METRIC TABLE:\nGPU0   0000:0c:00.0 38 Gb/s  608 Gb/s      XGMI\n"
    " Read    N/A    2.5 TB\nXGMI LINK STATUS:\nGPU0   0000:0c:00.0  SELF   U\n",
    "amd-smi": "| AMD-SMI 26.0.0      amdgpu version: 6.12.12  ROCm version: 7.0.0    |\n"
    "| 0000:0c:00.0    AMD Instinct MI300X | 13 %     60 °C   3           734/750 W |\n"
    "|   0       0       2        SPX/NPS1 | 98 %       N/A          4976/196592 MB |\n",
    "rocm-smi": "=== Concise Info ===\nGPU  Temp  AvgPwr  SCLK  PwrCap  GPU%\n"
    "0    31.0c  39.0W  300Mhz"
    "  290.0W  3%\n",
    "rocm-smi-text": "GPU[0]\t\t: PCI Bus: 0000:0C:00.0\n",
    "rocm-smi-csv": "device,GPU ID,VRAM\ncard3,0x738c,33.0\n",
    "tpu-info": "TPU Chips\n| Chip | Type | Devices | PID |\n|---|---|---|---|\n"
    "| /dev/accel0 | TPU v4 |"
    " 1 | 7 |\n\n| Chip | HBM usage | Duty cycle |\n|---|---|---|\n| 0 | 1 GiB / 2 GiB | 3% |\n",
    "neuron-ls": "instance-type: trn1.2xlarge\n| NEURON | NEURON |  PID  |\n"
    "| DEVICE | MEMORY |       |\n"
    "| 0      | 8 GB   | 12    |\n|        |        | 13    |\n",
    "neuron-ls--j": '[{"neuron_device": 0, "bdf": "00:1e.0", "connected_to": [1], "memory_size": 8,'
    ' "neuron_processes": [{"pid": 1}]}]',
    "neuron-monitor": '{"neuron_runtime_data": [{"pid": 1, "report": {"execution_stats": '
    '{"period": 1,'
    ' "error_summary": {"x": 1}}}}], "neuron_hardware_info": {"neuron_device_count": 1}}',
    "hl-smi": "| HL-SMI Version:  hl-1.19.1-fw-57.2.2.0 |\n| Driver Version:  1.19.1 |\n"
    "|   0  HL-225              N/A  | 0000:4e:00.0     N/A |                   0  |\n"
    "| N/A   26C   N/A    90W / 600W |    768MiB / 98304MiB |     0%           N/A |\n",
    "hl-smi-query": "index, name, temperature.aip [C]\n0, HL-225, 30 C\n",
    "hl-smi-log": "== HL-SMI LOG ==\n[0] AIP (accel0) 0000:43:00.0\n        Memory Usage\n"
    "                Total                   : 98304 MB\n",
    "npu-smi-info": "| npu-smi 25.0   Version: 25.0  |\n"
    "| 7     910   | OK   | 92.5   36   0 / 0 |\n"
    "| 0     14    | 0000:C1:00.0 | 5  0 / 0   3 / 4 |\n| 7 0 | 42 | p | 31 |\n",
    "npu-smi-info--m": "NPU ID  Chip ID  Chip Logic ID  Chip Name\n"
    "0       0        0        910B3\n",
    "gpustack-detect": '[{"manufacturer": "amd", "index": 0, "appendix": {"numa": "0"}}]',
    "gpustack-topology": '[{"manufacturer": "amd", "devices_distances": [[0, 5], [5, 0]]}]',
    "oci-gpu-scanner": '{"tests": {"a": {"status": "x", "per_gpu": {"GPU-0": "y"}}}, "gpu_info":'
    ' {"gpu_count": 1, "gpu_name": "AMD x"}}',
    "nicctl-card": '{"nic": [{"id": "a", "pcie_bdf": "0000:41:00.0"}]}',
    "nicctl-port": '{"nic": [{"id": "a", "port": [{"spec": {}, "status": {"port_speed": "4G"}}]}]}',
}  # fmt: skip
READINGS = {r.name: r for probe in PROBES for r in probe.reads}


def fails(name, data, exit_code=0):
    source = READINGS[name].source
    evidence = Evidence("n", {source: Capture(source, data, exit_code=exit_code)})
    probes = [p for p in PROBES if source in (r.source for r in p.reads)]
    assert probes
    return [r.error.traceback for r in (understand(p, evidence) for p in probes) if r.error]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_gives_facts(name):
    source = READINGS[name].source
    evidence = Evidence("n", {source: Capture(source, SAMPLES[name].encode(), exit_code=0)})
    assert any(understand(probe, evidence).facts for probe in PROBES)


@pytest.mark.parametrize("name", SAMPLES)
def test_cut_at_any_byte(name):
    data = SAMPLES[name].encode()
    for end in range(len(data)):
        assert not fails(name, data[:end])


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(sorted(SAMPLES)), data=st.data())
def test_edited_at_random(name, data):
    body = bytearray(SAMPLES[name].encode())
    words = [b"N/A", b"-1", b"9" * 5000, b"1e999", b"null", b"{}", b"[]", b"\xff\x00", b"\n", b"|"]
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(body)))
        body[at : at + data.draw(st.integers(0, 9))] = data.draw(st.sampled_from(words))
    assert not fails(name, bytes(body), data.draw(st.sampled_from([0, 1, 255])))


JSON = {
    s: c
    for s, c in host("mi300x").captures.items()
    if s
    in (
        "amd-smi static --json",
        "amd-smi metric --json",
        "amd-smi xgmi --json",
        "rocm-smi --showallinfo --json",
    )
}


@pytest.mark.parametrize("source", JSON)
@pytest.mark.parametrize("value", ["null", "true", "[]", "{}", '"N/A"', "-1", "1e999", "1.5"])
def test_any_value_may_be_of_another_kind(source, value):
    text = JSON[source].data.decode()
    leaves = list(re.finditer(r'(?<=: )(?:"[^"\n]*"|-?\d+(?:\.\d+)?)', text))
    name = next(name for name, r in READINGS.items() if r.source == source)
    for leaf in leaves[:: max(1, len(leaves) // 40)]:
        assert not fails(name, (text[: leaf.start()] + value + text[leaf.end() :]).encode())


@pytest.mark.parametrize(
    "line",
    ["a,", "gpu,", "| ", "=", "GPU ", "GPU  POWER ", '"gpu": 0, ', "[{", "N/A ", "0x1 : ",
     "device,", "| HL-SMI Version: x |\n", "NPU ID ", '"nic": [{"id": "a", ', "TPU Chips\n",
     "usage: amd-smi "],
)  # fmt: skip
def test_recognising_takes_no_time(line):
    text = (line * 70000)[: 64 * 1024]
    start = time.perf_counter()
    for reading in READINGS.values():
        if reading.looks_like:
            re.search(reading.looks_like, text, re.MULTILINE)
    assert time.perf_counter() - start < 5
