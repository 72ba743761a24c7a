"""nvidia-smi's other forms: the text query, CSV, the table, lists and monitors."""

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import BadPages, DeviceProcess
from assay.model.facts.nvidia import MigInstance, NvidiaDevice
from assay.model.facts.software import Software
from assay.probes import (
    nvidia_lists,
    nvidia_monitor,
    nvidia_smi,
    nvidia_smi_csv,
    nvidia_smi_q,
    nvidia_smi_table,
)

FIRST, SECOND = (f"GPU-{n}b2c3d4e-1111-2222-3333-444455556666" for n in (1, 2))


def facts(text, reading, kind=object):
    """The facts of a saved output that must be recognised as *reading*."""
    parsed = parse(text.encode(), catalogue().probes)
    assert parsed.source == reading.source
    return [f for result in parsed.results for f in result.facts if isinstance(f, kind)]


def why(text, name=""):
    return parse(text.encode(), catalogue().probes, name=name).unknown


Q = """
==============NVSMI LOG==============

Timestamp                                              : Sun Sep  6 08:21:38 2026
Driver Version                                         : 610.57.04 [Deprecated; will be removed]
CUDA Version                                           : 13.3 [Deprecated; will be removed]
KMD Version                                            : 610.57.04
CUDA UMD Version                                       : 13.3

Attached GPUs                                          : 2
GPU 00000000:1B:00.0
    Product Name                                       : NVIDIA H200
    Persistence Mode                                   : Enabled
    MIG Mode
        Current                                        : Enabled
        Pending                                        : Disabled
    MIG Device
        Index                                          : 0
        GPU Instance ID                                : 2
        Compute Instance ID                            : 0
        Shared FB Memory Usage
            Total                                      : 71424 MiB
            Used                                       : 22 MiB
    GPU UUID                                           : GPU-1b2c3d4e-1111-2222-3333-444455556666
    GPU Virtualization Mode
        Virtualization Mode                            : None
    PCI
        Bus Id                                         : 00000000:1B:00.0
        GPU Link Info
            PCIe Generation
                Max                                    : 5
                Current                                : 4
            Link Width
                Max                                    : 16x
                Current                                : 8x
        Replays Since Reset                            : 3
    Clocks Event Reasons
        Idle                                           : Active
        HW Slowdown                                    : Active
            HW Thermal Slowdown                        : Active
            HW Power Brake Slowdown                    : Not Active
        SW Thermal Slowdown                            : Not Active
    FB Memory Usage
        Total                                          : 143771 MiB
        Used                                           : 55 MiB
    Conf Compute Protected Memory Usage
        Total                                          : 1024 MiB
    Compute Mode                                       : Exclusive_Process
    ECC Errors
        Volatile
            SRAM Correctable                           : 0
            SRAM Uncorrectable Parity                  : 1
            SRAM Uncorrectable SEC-DED                 : 2
            DRAM Correctable                           : 4
            DRAM Uncorrectable                         : 5
    Remapped Rows
        Correctable Error                              : 0
        Uncorrectable Error                            : 2
        Pending                                        : Yes
        Remapping Failure Occurred                     : No
        Bank Remap Availability Histogram
            Max                                        : 2558 bank(s)
            None                                       : 1 bank(s)
    Temperature
        GPU Current Temp                               : 79 C
        GPU Current T.Limit Temp                       : 8 C
    GPU Power Readings
        Average Power Draw                             : 410.20 W
        Current Power Limit                            : 700.00 W
    Processes
        GPU instance ID                                : 2
        Compute instance ID                            : 0
        Process ID                                     : 4711
            Type                                       : C
            Name                                       : /usr/bin/python3
            Used GPU Memory                            : 54 MiB

GPU 00000000:43:00.0
    Product Name                                       : NVIDIA H200
    Temperature
        GPU Current Temp                               : GPU is lost
    Processes                                          : None
"""


@pytest.mark.parametrize("change", [str, lambda t: t.replace("\n", "\r\n"),
                                    lambda t: "$ nvidia-smi -q\n" + t,
                                    lambda t: "\x1b[1m" + t + "\x1b[0m"])  # fmt: skip
def test_the_text_query(change):
    found = facts(change(Q), nvidia_smi_q.TEXT)
    one, two = (f for f in found if isinstance(f, Accelerator))
    assert (one.product, one.driver, one.uuid) == ("NVIDIA H200", "610.57.04", FIRST)
    assert (one.memory_mib, one.temperature_c, one.power_w) == (143771, 79, 410.2)
    assert (one.pcie_generation, one.pcie_generation_max) == (4, 5)
    assert (one.pcie_width, one.pcie_width_max, one.pcie_replays) == (8, 16, 3)
    assert one.throttle == ("hw_slowdown", "hw_thermal_slowdown")
    assert (one.ecc_corrected_volatile, one.ecc_uncorrected_volatile) == (4, 8)
    assert (one.remap_uncorrected, one.remap_pending, one.remap_failed) == (2, True, False)
    assert (one.partition_mode, one.compute_mode, one.processes) == (
        "enabled",
        "Exclusive_Process",
        1,
    )
    assert (two.bdf, two.fault, two.processes) == ("0000:43:00.0", "GPU is lost (temperature)", 0)
    (more,) = (f for f in found if isinstance(f, NvidiaDevice))
    assert (more.partition_pending, more.confidential_compute) == ("disabled", True)
    assert (more.sram_volatile, more.thermal_margin_c) == (3, 8)
    assert dict(more.banks) == {"max": 2558, "none": 1}
    assert MigInstance(0, 0, "", 2, 0, 71424, 22) in found
    assert DeviceProcess("nvidia", 0, 4711, "/usr/bin/python3", 54) in found


def test_retired_pages_in_the_text_query():
    text = (
        "==============NVSMI LOG==============\n\nTimestamp : Thu Mar 14 20:46:07 2024\n"
        "Driver Version                            : 535.86.10\n\nAttached GPUs : 8\n"
        "GPU 00000001:00:00.0\n    Retired Pages\n        Single Bit ECC                    : 60\n"
        "        Double Bit ECC                    : 5\n"
        "        Pending Page Blacklist            : Yes\n"
    )
    (gpu,) = facts(text, nvidia_smi_q.TEXT)
    assert (gpu.bdf, gpu.retired_pages, gpu.retire_pending) == ("0001:00:00.0", 65, True)
    parsed = parse(text.encode(), catalogue().probes)
    assert [r.unread for r in parsed.results] == ["nvidia-smi counts 8 GPUs but describes 1"]


TABLE = """\
Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error
Thu Aug 27 18:05:38 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 610.57.04              KMD Version: 610.57.04     CUDA UMD Version: 13.3     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA H200                    On  |   00000000:19:00.0 Off |                   On |
| N/A   31C    P0             78W /  700W |       0MiB / 143771MiB |     N/A      Default |
|                                         |                        |              Enabled |
+-----------------------------------------+------------------------+----------------------+
|   2  NVIDIA H200                   Off  |   00000000:5D:00.0 Off |                    3 |
| N/A   31C    P0            ERR! /  700W |    1021MiB / 143771MiB |     12%   E. Process |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   3  ERR!                           On  |   00000000:9A:00.0 ERR!|                 ERR! |
|ERR!  ERR! ERR!             ERR! / ERR!  |      GPU is lost       |     ERR!        ERR! |
|                                         |                        |                 ERR! |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| MIG devices:                                                                            |
+------------------+----------------------------------+-----------+-----------------------+
| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |
|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |
|                  |                                  |        ECC|                       |
|==================+==================================+===========+=======================|
|  0    2   0   0  |              26MiB / 71424MiB    | 60      1 |  3   0    3    0    3 |
|                  |               0MiB / 59237MiB    |           |                       |
+------------------+----------------------------------+-----------+-----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    2   N/A  N/A           12249      C   /opt/my tool/train                     1010MiB |
+-----------------------------------------------------------------------------------------+
"""


def test_the_table():
    found = facts(TABLE, nvidia_smi_table.TABLE)
    gpus = {f.index: f for f in found if isinstance(f, Accelerator)}
    assert list(gpus) == [0, 1, 2, 3]
    assert (gpus[0].driver, gpus[0].product) == ("610.57.04", "NVIDIA H200")
    assert (gpus[0].power_w, gpus[0].power_limit_w, gpus[0].temperature_c) == (78, 700, 31)
    assert (gpus[0].ecc_enabled, gpus[0].ecc_uncorrected_volatile) == (True, None)
    assert (gpus[0].partition_mode, gpus[0].utilization_percent) == ("enabled", None)
    assert (gpus[1].bdf, bool(gpus[1].fault)) == ("0000:34:00.0", True)
    assert (gpus[2].ecc_uncorrected_volatile, gpus[2].memory_used_mib) == (3, 1021)
    assert (gpus[2].power_w, gpus[2].fault) == (None, "ERR! (power)")
    assert (gpus[2].persistence, gpus[2].compute_mode) == (False, "Exclusive_Process")
    assert (gpus[3].product, gpus[3].temperature_c) == ("", None)
    assert "GPU is lost" in gpus[3].fault
    assert MigInstance(0, 0, "", 2, 0, 71424, 26, ecc_uncorrected=1) in found
    assert DeviceProcess("nvidia", 2, 12249, "/opt/my tool/train", 1010) in found


def test_the_table_of_an_old_driver():
    text = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.87.01    Driver Version: 418.87.01    CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off |                  Off |
| N/A   34C    P0    57W / 300W |     11MiB / 32480MiB |      0%   Prohibited |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0     31337      C   python                                      10MiB |
+-----------------------------------------------------------------------------+
WARNING: infoROM is corrupted at gpu 0000:1A:00.0
"""
    found = facts(text, nvidia_smi_table.TABLE)
    (gpu,) = (f for f in found if isinstance(f, Accelerator))
    assert (gpu.ecc_enabled, gpu.memory_mib, gpu.compute_mode) == (False, 32480, "Prohibited")
    assert gpu.processes == 1
    (error,) = (f for f in found if isinstance(f, VendorToolError))
    assert (error.kind, error.device) == ("other", "0000:1a:00.0")


def test_a_saved_banner_is_an_error_fact():
    text = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580\n"
    (error,) = facts(text, nvidia_smi_table.TABLE)
    assert error.kind == "driver-library-mismatch"
    (error,) = facts("bash: nvidia-smi: command not found\n", nvidia_smi_table.TABLE)
    assert error.kind == "other"


@pytest.mark.parametrize("cells", [
    ("index, pci.bus_id, memory.total [MiB], power.draw [W], remapped_rows.pending",
     "0, 00000000:1B:00.0, 81559 MiB, 70.22 W, Yes", "1, 00000000:43:00.0, [N/A], [N/A], Pending"),
    ("remapped_rows.pending,power.draw,index,memory.total,pci.bus_id",
     "1,70.22,0,81559,00000000:1B:00.0", ",N/A,1,[Not Supported],00000000:43:00.0"),
])  # fmt: skip
def test_csv_with_any_columns(cells):
    one, two = facts("\n".join(cells) + "\n", nvidia_smi_csv.CSV)
    assert (one.index, one.bdf, one.memory_mib, one.power_w) == (0, "0000:1b:00.0", 81559, 70.22)
    assert one.remap_pending is True
    assert (two.index, two.bdf) == (1, "0000:43:00.0")
    assert (two.memory_mib, two.power_w, two.remap_pending) == (None, None, None)


def test_csv_takes_its_columns_from_the_command_line():
    text = (
        "$ nvidia-smi --query-gpu=index,name,memory.total,clocks_throttle_reasons.active,"
        "ecc.errors.uncorrected.volatile.total --format=csv,noheader,nounits\n"
        "0, NVIDIA A100-SXM4-80GB, 81920, 0x0000000000000004, 0\n"
        "1, NVIDIA A100-SXM4-80GB, 81920, 0x0000000000000001, [Unknown Error]\n"
        "2, NVIDIA A100-SXM4-80GB, 81920, 0x0000000000001000, [GPU is lost]\n"
    )
    gpus = facts(text, nvidia_smi_csv.CSV, Accelerator)
    assert [g.throttle for g in gpus] == [("sw_power_cap",), (), None]
    assert [g.ecc_uncorrected_volatile for g in gpus] == [0, None, None]
    assert [g.fault.split(" (")[0] for g in gpus] == ["", "Unknown Error", "GPU is lost"]


def test_csv_without_any_heading_names_only_what_is_certain():
    text = f"0, NVIDIA H100 80GB HBM3, 580.95.05, 512 MiB, {FIRST}\n"
    (gpu,) = facts(text, nvidia_smi_csv.CSV)
    assert (gpu.index, gpu.product, gpu.driver, gpu.uuid) == (
        0,
        "NVIDIA H100 80GB HBM3",
        "580.95.05",
        FIRST,
    )
    assert (gpu.memory_mib, gpu.memory_used_mib) == (None, None)


def test_a_looped_csv_gives_the_last_values():
    text = "timestamp, index, temperature.gpu\n" + "".join(
        f"2026/09/29 06:00:0{n}.000, {n % 2}, {40 + n}\n" for n in range(6)
    )
    assert [g.temperature_c for g in facts(text, nvidia_smi_csv.CSV)] == [44, 45]


def test_retired_pages_as_csv():
    text = (
        "gpu_bus_id, retired_pages.address, retired_pages.cause\n"
        "00000000:1B:00.0, 0x000000000005c05f, Double Bit ECC\n"
        "00000000:1B:00.0, 0x000000000005c06f, Single Bit ECC\n"
        "00000000:43:00.0, [N/A], Single Bit ECC\n"
    )
    assert facts(text, nvidia_smi_csv.CSV, BadPages) == [
        BadPages("nvidia", None, "0000:1b:00.0", retired=2)
    ]


def test_the_list_with_mig_and_a_lost_gpu():
    text = (
        f"$ nvidia-smi -L\nGPU 0: NVIDIA A100-SXM4-40GB (UUID: {FIRST})\n"
        "  MIG 3g.20gb     Device  0: (UUID: MIG-00000001-0000-0000-0000-000000000001)\n"
        "Unable to determine the device handle for gpu 0000:43:00.0: GPU is lost.  Reboot the "
        f"system to recover this GPU\nGPU 2: NVIDIA A100-SXM4-40GB (UUID: {SECOND})\n"
    )
    found = facts(text, nvidia_lists.LIST)
    gpus = [f for f in found if isinstance(f, Accelerator)]
    assert [(g.index, g.uuid) for g in gpus] == [(0, FIRST), (1, ""), (2, SECOND)]
    assert gpus[1].fault
    assert MigInstance(0, 0, "3g.20gb", uuid="MIG-00000001-0000-0000-0000-000000000001") in found


def test_versions_before_and_since_610():
    old = (
        "NVIDIA-SMI version  : 590.48.01\nNVML version        : 590.48\n"
        "DRIVER version      : 590.48.01\nCUDA Version        : 13.1\n"
    )
    new = (
        "NVIDIA-SMI version  : 610.43.02\nNVML version        : 610.43\n"
        'DRIVER version      : Deprecated, see "KMD version" instead\n'
        "KMD version         : 610.43.02\nCUDA UMD version    : 13.3\n"
    )
    for text, number in ((old, "590.48.01"), (new, "610.43.02")):
        assert facts(text, nvidia_lists.VERSION) == [
            Software("nvidia-smi", number, "binary"),
            Software("nvidia-driver", number, "module"),
        ]


def test_gpu_instances():
    text = """\
+-------------------------------------------------------+
| GPU instances:                                        |
| GPU   Name             Profile  Instance   Placement  |
|                          ID       ID       Start:Size |
|=======================================================|
|   0  MIG 1g.10gb+me      20       13          0:2     |
+-------------------------------------------------------+
"""
    assert facts(text, nvidia_lists.INSTANCES) == [
        MigInstance(0, profile="1g.10gb+me", gpu_instance=13, placement="0:2")
    ]


def test_monitors_keep_the_last_line_of_each_gpu():
    text = (
        "#Time        gpu    pwr  gtemp  mtemp     sm    mem     fb   bar1\n"
        "#HH:MM:SS    Idx      W      C      C      %      %     MB     MB\n"
        " 09:00:01      0     77     28      -      0      0    512      1\n"
        " 09:00:02      0     79     29      -      3      0    600      1\n"
    )
    assert facts(text, nvidia_monitor.DMON) == [
        Accelerator("nvidia", 0, memory_used_mib=600, utilization_percent=3, temperature_c=29,
                    power_w=79)
    ]  # fmt: skip
    text = (
        "# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command \n"
        "# Idx           #    C/G      %      %      %      %      %      %    name \n"
        "    0       4321     C      -      -      -      -      -      -    python train.py\n"
        "    1          -     -      -      -      -      -      -      -    -\n"
    )
    assert facts(text, nvidia_monitor.PMON) == [DeviceProcess("nvidia", 0, 4321, "python train.py")]


def test_nothing_is_unknown_with_a_reason():
    assert why("N/A\n", nvidia_smi_q.TEXT.name) == "`nvidia-smi -q` shows no GPU"
    assert why("a,b\n", nvidia_smi_csv.CSV.name) == "no row of values under a header"
    assert why("x\n", nvidia_smi_table.TABLE.name) == "the table of nvidia-smi shows no GPU"
    assert why("x\n", nvidia_lists.LIST.name) == "`nvidia-smi -L` lists no GPU"
    assert why("x\n", nvidia_smi.XML.name) == "`nvidia-smi -q -x` printed no XML"


def test_csv_without_heading_or_name_is_still_a_gpu():
    (gpu,) = facts(f"00000000:1B:00.0, {FIRST}, 0, 0, 0, 0\n", nvidia_smi_csv.CSV)
    assert (gpu.bdf, gpu.uuid, gpu.remap_pending) == ("0000:1b:00.0", FIRST, None)
