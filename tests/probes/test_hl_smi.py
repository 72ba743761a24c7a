import pytest

from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.model.facts.software import Software
from assay.probes import hl_smi, hl_smi_log
from assay.probes.hl_smi import QUERY, TABLE


def read(*captures):
    return list(hl_smi.devices(Seen(Evidence("n", {c.source: c for c in captures}))))


def kinds(facts, kind):
    return [fact for fact in facts if isinstance(fact, kind)]


def table(used="32454Mib / 32768Mib", errors="0"):
    return f"""\
+-----------------------------------------------------------------------------+
| HL-SMI Version:                              hl-1.19.1-fw-57.2.2.0          |
| Driver Version:                                     1.19.1-6f47ddd          |
|-------------------------------+----------------------+----------------------+
| AIP  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | AIP-Util  Compute M. |
|===============================+======================+======================|
|   0  HL-325L             N/A  | 0000:9A:00.0     N/A |                   {errors}  |
| N/A   35C   N/A   100W / 850W |  {used} |    63%           N/A |
|-------------------------------+----------------------+----------------------+
|   1  HL-325L             N/A  | 0000:b3:00.0     N/A |                 N/A  |
| N/A   N/A   N/A   N/A  / N/A  |  N/A      / N/A      |     N/A          N/A |
|-------------------------------+----------------------+----------------------+
| Compute Processes:                                               AIP Memory |
|  AIP       PID   Type   Process name                             Usage      |
|=============================================================================|
|   0        4711     C   python3                                  31000MiB   |
|   1        N/A   N/A    N/A                                      N/A        |
+=============================================================================+
"""


def capture(reading, text, **more):
    return Capture(reading.source, text.encode(), exit_code=more.pop("exit_code", 0), **more)


def test_the_table():
    facts = read(capture(TABLE, table(errors="7")))
    first, second = kinds(facts, Accelerator)
    assert (first.product, first.bdf, first.driver) == ("HL-325L", "0000:9a:00.0", "1.19.1-6f47ddd")
    assert (first.firmware, first.memory_used_mib, first.memory_mib) == ("57.2.2.0", 32454, 32768)
    assert (first.power_w, first.power_limit_w, first.temperature_c) == (100, 850, 35)
    assert (first.utilization_percent, first.ecc_uncorrected_volatile) == (63, 7)
    assert (second.power_w, second.memory_mib, second.ecc_uncorrected_volatile) == (None,) * 3
    assert kinds(facts, DeviceProcess) == [DeviceProcess("gaudi", 0, 4711, "python3", 31000)]
    assert kinds(facts, Software) == [Software("habanalabs", "1.19.1-6f47ddd", "module")]


@pytest.mark.parametrize("used", ["32454Mib / 32768Mib", "32454MiB / 32768MiB"])
def test_both_spellings_of_the_unit(used):
    assert kinds(read(capture(TABLE, table(used))), Accelerator)[0].memory_mib == 32768


def test_of_a_loop_the_last_round_counts():
    text = table() + table().replace("100W", "420W")
    gpus = kinds(read(capture(TABLE, text)), Accelerator)
    assert [gpu.power_w for gpu in gpus] == [420, None]


CSV = """\
index, module_id, name, bus_id, memory.total [MiB], memory.used [MiB], power.draw [W], \
ecc.mode.current, ecc.errors.uncorrected.aggregate.total, pcie.link.width.current
0, 4, HL-325L, 0000:9a:00.0, 131072 MiB, 672 MiB, 221 W, Enabled, 1, 16
1, 2, HL-325L, 0000:b3:00.0, 131072 MiB, 672 MiB, N/A, N/A, N/A, 8
"""


def test_csv_by_heading_and_together_with_the_table():
    first, second = kinds(read(capture(QUERY, CSV)), Accelerator)
    assert (first.memory_mib, first.power_w, first.ecc_enabled) == (131072, 221, True)
    assert first.ecc_uncorrected_aggregate == 1
    assert (second.power_w, second.ecc_enabled, second.pcie_width) == (None, None, 8)
    first, _ = kinds(read(capture(QUERY, CSV), capture(TABLE, table())), Accelerator)
    assert (first.power_w, first.power_limit_w, first.temperature_c) == (221, 850, 35)


def test_errors():
    text = "habanalabs driver is not loaded or no AIPs available, aborting...\n"
    facts = read(capture(TABLE, text, exit_code=1), capture(QUERY, text, exit_code=1))
    assert [(e.kind, e.exit_code) for e in kinds(facts, VendorToolError)] == [
        ("driver-not-loaded", 1)
    ]
    with pytest.raises(Unread):
        read(capture(TABLE, "hello\n"))
    with pytest.raises(Unread, match="timeout"):
        read(Capture(TABLE.source, status=Status.TIMEOUT))


def test_the_long_form():
    text = b"""\
================ HL-SMI LOG ================

Driver Version                          : 1.15.1-abcdef0
Attached AIPs                           : 2

[0] AIP (accel0) 0000:43:00.0
        Product Name                    : HL-225
        Module status                   : Operational
        AIP UUID                        : 01P0-HL2080A0
        PCI
                AIP Link Info
                        Link Speed
                                Max     : 16GT/s
                                Current : 8GT/s
                        Link Width
                                Max     : x16
                                Current : x8
        Clocks Throttle Reasons
                HW Slowdown             : Not Active
                        Thermal Slowdown
                                        : Active
        Memory Usage
                Total                   : 98304 MB
                Used                    : 768 MB
        Temperature
                [ 1] On Chip 0          :  29 C
                [ 2] On Chip 1          :  31 C
                [ 5] HBM 0 Temp         :  33 C
        Power Readings (54V PSU)
                Power Draw              : 50 W
                Power Limit             : 550 W
        Power Readings (12V PSU)
                Power Draw              : 31 W
        Replaced Rows
                Single Bit ECC          : 2
                Double Bit ECC          : 1
                Pending                 : Yes
[1] AIP (accel1) 0000:44:00.0
        Product Name                    : HL-225
        Module status                   : Malfunction
"""
    capture = Capture(hl_smi_log.LOG.source, text, exit_code=0)
    facts = list(hl_smi_log.log(Seen(Evidence("n", {capture.source: capture}))))
    first, second = kinds(facts, Accelerator)
    assert (first.memory_mib, first.temperature_c, first.memory_temperature_c) == (98304, 31, 33)
    assert (first.power_w, first.power_limit_w) == (50, 550)
    assert (first.pcie_generation, first.pcie_generation_max) == (3, 4)
    assert (first.pcie_width, first.pcie_width_max) == (8, 16)
    assert (first.remap_corrected, first.remap_uncorrected, first.remap_pending) == (2, 1, True)
    assert first.throttle == ("thermal slowdown",)
    assert not first.fault
    assert "Malfunction" in second.fault
