import pytest

from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.probes import npu_smi
from assay.probes.npu_smi import INFO, MAPPING


def read(info=None, mapping=None, exit_code=0):
    texts = {INFO.source: info, MAPPING.source: mapping}
    captures = {s: Capture(s, t.encode(), exit_code=exit_code) for s, t in texts.items() if t}
    return list(npu_smi.devices(Seen(Evidence("n", captures))))


def kinds(facts, kind):
    return [fact for fact in facts if isinstance(fact, kind)]


def info(health="OK", place="0000:C1:00.0", second="-"):
    return f"""\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.0.rc1                 Version: 25.0.rc1                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 7     Ascend910           | {health:<13} | 92.5        36                0    / 0             |
| 0     14                  | {place:<13} | 5           0    / 0          3414 / 65536         |
+------------------------------------------------------------------------------------------------+
| 7     Ascend910           | OK            | {second:<11} 37                0    / 0             |
| 1     15                  | 0000:C2:00.0  | 0           0    / 0          3190 / 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 7       1                 | 4242          | python3.11               | 3100                    |
+===========================+===============+====================================================+
"""


def test_two_dies_of_one_npu():
    facts = read(info())
    first, second = kinds(facts, Accelerator)
    assert [chip.index for chip in (first, second)] == [14, 15]
    assert (first.product, first.bdf, first.driver) == ("Ascend910", "0000:c1:00.0", "25.0.rc1")
    assert (first.power_w, first.temperature_c, first.utilization_percent) == (92.5, 36, 5)
    assert (first.memory_mib, first.memory_used_mib) == (65536, 3414)
    assert second.power_w is None
    assert kinds(facts, DeviceProcess) == [DeviceProcess("ascend", 15, 4242, "python3.11", 3100)]


@pytest.mark.parametrize("health", ["Warning", "Alarm", "Critical", "UNKNOWN", "Fine", ""])
def test_every_word_but_ok_is_a_fault(health):
    first, second = kinds(read(info(health)), Accelerator)
    assert (health or "nothing") in first.fault
    assert not second.fault


def test_an_address_that_was_made_anonymous_is_none():
    assert kinds(read(info(place="0000:xx:00.0")), Accelerator)[0].bdf == ""


def test_cards_without_hbm_and_without_a_device_number():
    text = """\
| npu-smi 23.0.5                 Version: 23.0.5              |
| NPU     Name     | Health       | Power(W)     Temp(C)      |
| Chip             | Bus-Id       | AICore(%)    Memory-Usage(MB) |
+==================+==============+==========================+
| 3       310P3    | OK           | NA           49           |
| 0                | 0000:11:00.0 | 0            600  / 21534 |
+==================+==============+==========================+
"""
    (chip,) = kinds(read(text), Accelerator)
    assert (chip.index, chip.product, chip.power_w, chip.memory_mib) == (3, "310P3", None, 21534)


MAP = """\
\tNPU ID                         Chip ID                        Chip Logic ID                  \
Chip Name
\t7                              0                              0                              \
Ascend 910B3
\t7                              1                              -                              Mcu
\t8                              0                              1                              \
Ascend 910B3
"""


def test_the_mapping_leaves_controllers_out_and_names_chips():
    assert [(a.index, a.product) for a in kinds(read(mapping=MAP), Accelerator)] == [
        (0, "Ascend 910B3"), (1, "Ascend 910B3"),
    ]  # fmt: skip
    named = info().replace("Ascend910", "xxx      ")
    assert [a.product for a in kinds(read(named, MAP), Accelerator)] == ["Ascend 910B3", ""]


def test_errors():
    text = "DrvMngGetConsoleLogLevel failed. (ret=4)\ndcmi module initialize failed. ret is -8005\n"
    (error,) = read(text, exit_code=255)
    assert isinstance(error, VendorToolError)
    assert (error.kind, error.exit_code) == ("driver-not-loaded", 255)
    with pytest.raises(Unread):
        read("something else\n")
