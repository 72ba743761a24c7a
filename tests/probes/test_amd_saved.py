import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.accelerator import Accelerator, ScaleUpLink, VendorToolError
from assay.model.facts.device import BadPages, DeviceProcess, PeerPath, RasBlock
from assay.model.facts.software import Software

PROBES = catalogue().probes


def facts(text, kind=Accelerator):
    parsed = parse(text.encode(), PROBES)
    assert not any(result.error for result in parsed.results)
    assert not parsed.unknown, parsed.unknown
    return [fact for result in parsed.results for fact in result.facts if isinstance(fact, kind)]


METRIC = """\
user@node:~$ amd-smi metric
GPU: 0
    USAGE:
        GFX_ACTIVITY: 7 %
        JPEG_ACTIVITY: [0 %, 0 %, 0 %,
            N/A, N/A]
    POWER:
        SOCKET_POWER: 612 W
        THROTTLE_STATUS: N/A
    TEMPERATURE:
        EDGE: N/A
        HOTSPOT: 71 °C
        MEM: 54 °C
    ECC:
        TOTAL_CORRECTABLE_COUNT: 4
        TOTAL_UNCORRECTABLE_COUNT: 2
    ECC_BLOCKS:
        UMC:
            CORRECTABLE_COUNT: 4
            UNCORRECTABLE_COUNT: 2
            DEFERRED_COUNT: 1
        GFX:
            CORRECTABLE_COUNT: 0
            UNCORRECTABLE_COUNT: 0
    MEM_USAGE:
        TOTAL_VRAM: 196592 MB
        USED_VRAM: 150000 MB

GPU: 1
    USAGE:
        GFX_ACTIVITY: N/A
"""


@pytest.mark.parametrize("text", [METRIC, METRIC.replace("\n", "\r\n"), f"\x1b[1m{METRIC}\x1b[0m"])
def test_indented_text(text):
    first, second = facts(text)
    assert (first.utilization_percent, first.power_w, first.temperature_c) == (7, 612, 71)
    assert (first.memory_mib, first.memory_used_mib) == (196592, 150000)
    assert (first.ecc_corrected_volatile, first.ecc_uncorrected_volatile) == (4, 2)
    assert (second.index, second.utilization_percent) == (1, None)
    blocks = facts(text, RasBlock)
    assert [(b.block, b.corrected, b.uncorrected, b.deferred) for b in blocks] == [
        ("UMC", 4, 2, 1), ("GFX", 0, 0, None),
    ]  # fmt: skip


def test_processes_and_bad_pages_in_text():
    text = """\
GPU: 0
    PROCESS_INFO:
        NAME: trainer
        PID: 77
        MEMORY_USAGE:
            VRAM_MEM: 1.5 GB
    PROCESS_INFO:
        NAME: watcher
        PID: 78
GPU: 1
    PROCESS_INFO: No running processes detected
"""
    assert facts(text, DeviceProcess) == [
        DeviceProcess("amd", 0, 77, "trainer", 1536.0),
        DeviceProcess("amd", 0, 78, "watcher", None),
    ]
    assert [gpu.processes for gpu in facts(text)] == [2, 0]
    pages = facts("GPU: 0\n    RETIRED: No bad pages found.\n    PENDING: No bad pages found.\n"
                  "    UN_RES: No bad pages found.\n", BadPages)  # fmt: skip
    assert pages == [BadPages("amd", 0, "", 0, 0, 0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "GPU  POWER  PWR_CAP\n  0  148 W    750 W\n  1   N/A    750 W\n",
            [(148, 750, None, None), (None, 750, None, None)],
        ),
        (
            "GPU  XCP  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   ENC%   DEC%  VRAM_USAGE\n"
            "  0    0   12 W   40 °C   44 °C     9 MHz    8 %    1 %    N/A    0 %  0.5/ 25.5 GB\n"
            "  0    1    N/A     N/A     N/A     9 MHz    8 %    1 %    N/A    0 %  0.5/ 25.5 GB\n",
            [(12, None, 40, 26112)],
        ),
        (
            "GPU  POWER  GPU_TEMP  MEM_TEMP  VRAM_USED  VRAM_TOTAL\n"
            "  0  199 W    103 °C     84 °C    1235 MB    16335 MB\n"
            "  1  199 W     N/A°C     84 °C    1235 MB123456789 MB\n",
            [(199, None, 103, 16335), (199, None, None, 123456789)],
        ),
    ],
)
def test_monitor(text, expected):
    found = [(g.power_w, g.power_limit_w, g.temperature_c, g.memory_mib) for g in facts(text)]
    assert found == expected


XGMI = """\
LINK METRIC TABLE:
       bdf          bit_rate max_bandwidth link_type 0000:0c:00.0 0000:22:00.0
GPU0   0000:0c:00.0 38 Gb/s  608 Gb/s      XGMI
 Read                                                N/A          2.5 TB
 Write                                               N/A          1 KB
GPU1   0000:22:00.0 38 Gb/s  608 Gb/s      XGMI
 Read                                                0 KB         N/A
 Write                                               0 KB         N/A

GPU LINK PORT STATUS:
     bdf           port_num            1  2
GPU0   0000:0c:00.0                     U  X
GPU1   0000:22:00.0                     D  X

XGMI LINK STATUS:
       bdf           GPU0          GPU1
GPU0   0000:0c:00.0  SELF          U
GPU1   0000:22:00.0  D             SELF

Legend:
  SELF = Current GPU
"""


def test_xgmi_tables():
    assert facts(XGMI, ScaleUpLink) == [
        ScaleUpLink("amd", 0, 1, True, 76.0), ScaleUpLink("amd", 1, 0, False, 76.0),
    ]  # fmt: skip
    assert [gpu.bdf for gpu in facts(XGMI)] == ["0000:0c:00.0", "0000:22:00.0"]


def test_rates_that_are_no_rates():
    text = ("LINK METRIC TABLE:\n       bdf   bit_rate  max_bandwidth  link_type  GPU0  GPU1\n"
            "GPU0   0000:08:00.0  65535 Gb/s4294967295 Gb/sN/A\n Read   N/A    N/A\n")  # fmt: skip
    assert facts(text, ScaleUpLink) == []


def test_topology_tables():
    text = """\
LINK TYPE TABLE:
             0000:0a:00.0 0000:0b:00.0
0000:0a:00.0 SELF         XGMI
0000:0b:00.0 PCIE         SELF

NUMA BW TABLE:
             0000:0a:00.0 0000:0b:00.0
0000:0a:00.0 N/A          64000-64000
0000:0b:00.0 N/A          N/A
"""
    assert facts(text, PeerPath) == [
        PeerPath("amd", 0, 1, "xgmi", gbytes_per_second=64.0),
        PeerPath("amd", 1, 0, "pcie"),
    ]


def test_the_view_of_rocm_7():
    text = """\
+------------------------------------------------------------------------------+
| AMD-SMI 26.0.0+0badc0de      amdgpu version: 6.12.12  ROCm version: 7.0.0    |
| Platform: Linux Baremetal                                                    |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:0c:00.0    AMD Instinct MI300X | 13 %     60 °C   3           734/750 W |
|   0       0       2        SPX/NPS1 | 98 %       N/A          4976/196592 MB |
|-------------------------------------+----------------------------------------|
| 0000:22:00.0    AMD Instinct MI300X | N/A        N/A   N/A           N/A/750 W |
|   1       1       1        CPX/NPS1 | N/A        N/A           N/A/196592 MB |
+-------------------------------------+----------------------------------------+
+------------------------------------------------------------------------------+
| Processes:                                                                   |
|  GPU        PID  Process Name          GTT_MEM  VRAM_MEM  MEM_USAGE     CU % |
|==============================================================================|
|    0    2427396  rvs                    2.0 MB    2.0 GB     2.5 GB    0.0 % |
+------------------------------------------------------------------------------+
"""
    first, second = facts(text)
    assert (first.product, first.bdf) == ("AMD Instinct MI300X", "0000:0c:00.0")
    assert (first.temperature_c, first.ecc_uncorrected_volatile) == (60, 3)
    assert (first.power_w, first.power_limit_w, first.partition_mode) == (734, 750, "SPX/NPS1")
    assert (first.memory_used_mib, first.memory_mib, first.utilization_percent) == (
        4976,
        196592,
        98,
    )
    assert (second.power_w, second.temperature_c, second.ecc_uncorrected_volatile) == (None,) * 3
    assert facts(text, DeviceProcess) == [DeviceProcess("amd", 0, 2427396, "rvs")]
    assert {s.component: s.version for s in facts(text, Software)} == {
        "amd-smi": "26.0.0+0badc0de", "amdgpu": "6.12.12", "rocm": "7.0.0",
    }  # fmt: skip


def test_csv():
    text = "gpu,gpu_bdf,gpu_uuid\n0,0000:0C:00.0,aaff\n1,0000:22:00.0,N/A\n"
    assert [(g.bdf, g.uuid) for g in facts(text)] == [
        ("0000:0c:00.0", "aaff"),
        ("0000:22:00.0", ""),
    ]
    text = "gpu,gfx_activity,socket_power,edge,hotspot,total_vram,used_vram\n"
    text += "0,5,140,N/A,38,196592,283\n"
    (gpu,) = facts(text)
    assert (gpu.utilization_percent, gpu.power_w, gpu.temperature_c) == (5, 140, 38)
    assert (gpu.memory_mib, gpu.memory_used_mib) == (196592, 283)


ROCM = """\
============================ ROCm System Management Interface ============================
====================================== Concise Info ======================================
Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK    Fan  \
Perf  PwrCap       VRAM%  GPU%
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
==========================================================================================
0       2     0x74a1,   3771   47.0°C      154.0W    NPS4, CPX, 0        133Mhz  900Mhz  0%   \
auto  750.0W       0%     9%
1       3     N/A,      62138  N/A         N/A       N/A, N/A, 1         N/A     N/A     0%   \
n/a   Unsupported  2%     N/A
==========================================================================================
"""


def test_the_table_of_rocm_smi_6():
    first, second = facts(ROCM)
    assert (first.temperature_c, first.power_w, first.power_limit_w) == (47, 154, 750)
    assert (first.utilization_percent, first.partition_mode) == (9, "CPX/NPS4")
    # nothing slides to the left where a column has no value
    assert (second.temperature_c, second.power_w, second.power_limit_w) == (None,) * 3
    assert second.partition_mode == ""


def test_the_table_of_rocm_smi_5():
    text = """\
======================= ROCm System Management Interface =======================
================================= Concise Info =================================
GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%
0    31.0c           39.0W   300Mhz  1200Mhz  0%   auto  290.0W    0%   3%
================================================================================
"""
    (gpu,) = facts(text)
    assert (gpu.temperature_c, gpu.power_w, gpu.power_limit_w) == (31, 39, 290)
    assert gpu.utilization_percent == 3


def test_a_table_with_no_cards_is_an_error():
    text = ROCM[: ROCM.index("0       2")]
    text = text.replace("=\n===", "=\nWARNING: No AMD GPUs specified\n===", 1)
    (error,) = facts(text, VendorToolError)
    assert error.kind == "no-devices"


def test_lines_and_csv_of_rocm_smi():
    text = ("GPU[0]\t\t: Temperature (Sensor junction) (C): 41.0\n"
            "GPU[0]\t\t: PCI Bus: 0000:0C:00.0\n"
            "GPU[1]\t\t: Temperature (Sensor junction) (C): 43.0\n")  # fmt: skip
    assert [(g.temperature_c, g.bdf) for g in facts(text)] == [(41, "0000:0c:00.0"), (43, "")]
    text = "device,GPU ID,Temperature (Sensor edge) (C),VBIOS version\ncard3,0x738c,33.0,113-D\n"
    (gpu,) = facts(text)
    assert (gpu.index, gpu.temperature_c, gpu.firmware) == (3, 33, "113-D")


@pytest.mark.parametrize(
    "text",
    [
        "$ rocm-smi\nERROR:root:Driver not initialized (amdgpu not found in modules)\n",
        "ERROR:root:Unable to get devices, driver not initialized (amdgpu not found in modules)\n",
        "amd-smi list\nAmdSmiLibraryException: Error code: 34 | AMDSMI_STATUS_DRIVER_NOT_LOADED\n",
    ],
)
def test_saved_error_banners(text):
    (error,) = facts(text, VendorToolError)
    assert error.vendor == "amd"
    assert not facts(text)


def test_a_paste_that_was_cut_says_so():
    parsed = parse(b"GPU: 0\n    ASIC:\n        MARKET_NAME: MI300X\n...\n", PROBES)
    assert any("cut short" in result.unread for result in parsed.results)
    assert facts("GPU: 0\n    ASIC:\n        MARKET_NAME: MI300X\n...\n")[0].product == "MI300X"
