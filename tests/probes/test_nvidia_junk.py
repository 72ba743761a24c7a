"""Whatever the bytes are, NVIDIA's parsers give facts or say why not."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.understand import understand
from assay.kit.pack import Entry, dump
from assay.kit.reading import Via
from assay.model.evidence import Capture, Evidence

PROBES = [probe for probe in catalogue().probes if probe.id.startswith("nvidia.")]
READINGS = [(probe, reading) for probe in PROBES for reading in probe.reads]
SOUND = host("hgx-h100").captures
# One line or cell of each form: what random edits of real outputs are made of.
PIECES = (
    b"GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n", b"\t Link 0: 26.562 GB/s\n",
    b"\t Link 9: CRC Errors: 99999999999999999999999999\n", b"GPU 00000000:1B:00.0\n",
    b"    Temperature\n        GPU Current Temp : 9e999 C\n",
    b"    MIG Device\n        Index : x\n", b"    Remapped Rows\n        Pending : 1e999\n",
    b"    Processes\n        Process ID : -\n", b"Attached GPUs : 99999999999999999999\n",
    b"\tGPU0\tGPU1\tNIC0NIC1\tCPU Affinity\n", b"GPU0\t X \tNV18\tPIX\t0-3\n",
    b"index, name, memory.total [MiB]\n", b"0, NVIDIA H200, [Unknown Error]\n",
    b"| NVIDIA-SMI 580.1  Driver Version: 580.1  CUDA Version: 13.0 |\n",
    b"|   0  NVIDIA H200   On  |   00000000:19:00.0 Off |   0 |\n", b"| Processes: |\n",
    b"| MIG devices: |\n", b"|  0    2   0   0  | 1MiB / 2MiB | 60 9e999 |\n",
    b"| -> 0 | Warning |\n",
    b"| Overall Health: |\n", b"| memory | Fail - GPUs: 0, 99999999999999999999 |\n",
    b"|        | GPU0: Fail |\n", b"| Warning: GPU9 | x |\n",
    b'{"nodes": {"0": 1}}\n', b"[1, null]\n",
    b'{"DCGM Diagnostic": {"test_categories": [{"tests": [{"name": "x", "results": [1]}]}]}}\n',
    b'{"body": {"GPU": {"children": []}, "Overall Health": 3}}\n', b"# gpu pwr gtemp\n",
    b"    \xb2 77 28\n", b"<nvidia_smi_log>\n", b"</nvidia_smi_log>\n", b'<gpu id="x">', b"</gpu>",
    b'<system version="1"><cpu numaid="x"><pci busid="" class="0x03"/></cpu></system>\n',
    b"[Feb 25 2025 13:59:45] [ERROR] [tid 1] x\n", b"Model: \t X\n",
    b"Bus Location: \t 0000:1b:00.0\n", b"Device Minor: \t 9e999\n",
    b"\t Link 0: CRC Errors: 9e999\n", b"| " + b"9" * 5000 + b"  NVIDIA H200   On  |",
    b"<pci><replay_counter>9e999</replay_counter></pci>", b"GPU" + b"9" * 5000 + b"\t X \t",
    b"GPU " + b"9" * 5000 + b": x\n", b"Attached GPUs : 9e999\n", b"index\n9e999\n",
    b"Unable to determine the device handle for GPU99: 0000:3B:00.0: Unknown Error\n",
    b"\x00\xff\xfe", b"\x1b[31m", b"N/A", b"\r\n", b"9" * 400,
)  # fmt: skip


def run(probe, reading, data, code=0):
    if reading.via is Via.FILES:
        data = dump([Entry(reading.glob.replace("*", "0000:1b:00.0"), data)])
    capture = Capture(reading.source, data, exit_code=code)
    found = understand(probe, Evidence("n", {reading.source: capture}))
    assert found.error is None, found.error.traceback
    return found


@pytest.mark.parametrize(("probe", "reading"), READINGS, ids=lambda x: getattr(x, "name", ""))
def test_every_piece_alone_and_every_sound_answer_cut(probe, reading):
    for piece in PIECES:
        run(probe, reading, piece)
    sound = SOUND[reading.source].data if reading.source in SOUND else b"".join(PIECES)
    for at in range(0, len(sound), max(1, len(sound) // 150)):
        run(probe, reading, sound[:at])


@pytest.mark.parametrize(("probe", "reading"), READINGS, ids=lambda x: getattr(x, "name", ""))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_mixtures(probe, reading, data):
    parts = data.draw(st.lists(st.sampled_from(PIECES) | st.binary(max_size=12), max_size=12))
    run(probe, reading, b"".join(parts), data.draw(st.sampled_from([0, 1, 6, 9, 15, 255])))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_edits_of_the_sound_xml(data):
    probe, reading = next(pair for pair in READINGS if pair[1].name == "nvidia-smi.xml")
    body = bytearray(SOUND[reading.source].data[:60000])
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(body)))
        body[at : at + data.draw(st.integers(0, 60))] = data.draw(st.sampled_from(PIECES))
    run(probe, reading, bytes(body))
