import pytest

from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.model.facts.software import Software
from assay.probes import tpu_info


def facts(text, kind=Accelerator, *, exit_code=0, stderr=""):
    capture = Capture(tpu_info.TPU_INFO.source, text.encode(), exit_code=exit_code, stderr=stderr)
    found = tpu_info.chips(Seen(Evidence("n", {capture.source: capture})))
    return [fact for fact in found if isinstance(fact, kind)]


BOXES = """\
Libtpu version: 0.0.21
Accelerator type: v5p
TPU Chips
┏━━━━━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━┳━━━━━━┓
┃ Chip        ┃ Type         ┃ Devices ┃ PID  ┃
┡━━━━━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━╇━━━━━━┩
│ /dev/accel0 │ TPU v5p chip │ 1       │ 4052 │
│ /dev/accel1 │ TPU v5p chip │ 1       │ None │
└─────────────┴──────────────┴─────────┴──────┘
TPU Runtime Utilization
┏━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┓
┃ Chip ┃ HBM usage             ┃ Duty cycle ┃
┡━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━┩
│ 8    │ 12.50 GiB / 95.00 GiB │     99.50% │
│ 9    │ N/A                   │        N/A │
└──────┴───────────────────────┴────────────┘
"""


def test_tables_in_boxes():
    first, second = facts(BOXES)
    assert (first.product, first.memory_mib, first.memory_used_mib) == (
        "TPU v5p chip",
        97280,
        12800,
    )
    assert first.utilization_percent == 99.5
    assert (second.memory_mib, second.utilization_percent) == (None, None)
    assert facts(BOXES, DeviceProcess) == [DeviceProcess("tpu", 0, 4052)]
    assert facts(BOXES, Software) == [Software("libtpu", "0.0.21", "binary")]


def test_the_bars_between_columns_may_be_lost():
    lost = "\n".join(
        line.replace("│", " ").replace("┃", " ").replace(line.strip()[:0], "", 0) for line in
        ["  /dev/vfio/0   TPU v6e chip  1        1052   "]
    )  # fmt: skip
    text = "TPU Chips\n│  Chip          Type          Devices  PID    │\n│" + lost + "│\n"
    (chip,) = facts(text)
    assert chip.product == "TPU v6e chip"


def test_two_devices_of_a_chip_are_added_up():
    text = """\
TPU Chips
| Chip        | Type        | Devices | PID |
|-------------|-------------|---------|-----|
| /dev/accel0 | TPU v3 chip | 2       | 12  |

TPU Runtime Utilization
| Device | HBM usage             | Duty cycle |
|--------|-----------------------|------------|
| 0      | 1.00 GiB / 16.00 GiB  |     10.00% |
| 1      | 3.00 GiB / 16.00 GiB  |     30.00% |
"""
    (chip,) = facts(text)
    assert (chip.memory_mib, chip.memory_used_mib, chip.utilization_percent) == (32768, 4096, 30)


def test_an_idle_node_has_chips_and_a_warning():
    text = """\
TPU Chips
| Chip        | Type         | Devices | PID  |
|-------------|--------------|---------|------|
| /dev/vfio/0 | TPU v6e chip | 1       | None |
╭──────────────── Runtime Utilization Status ────────────────╮
│ WARNING: Libtpu metrics unavailable. Is there a framework  │
│ using the TPU? See tpu_info docs for more information.     │
╰────────────────────────────────────────────────────────────╯
"""
    (chip,) = facts(text)
    assert (chip.product, chip.memory_mib) == ("TPU v6e chip", None)
    assert not facts(text, VendorToolError)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("No TPU chips found.\n", "no-devices"),
        ("- tpu-info version: 0.8.0\n- libtpu version: N/A (incompatible environment)\n",
         "no-library"),
        ("Traceback (most recent call last):\n  File \"x\"\nRuntimeError: boom\n", "other"),
    ],
)  # fmt: skip
def test_errors(text, kind):
    assert [error.kind for error in facts(text, VendorToolError)] == [kind]


def test_processes_by_chip():
    text = ("TPU Process Info\n| Chip | PID | Process Name |\n|---|---|---|\n"
            "| /dev/vfio/0 | 7 | python3 |\n| /dev/vfio/1 | None | None |\n")  # fmt: skip
    assert facts(text, DeviceProcess) == [DeviceProcess("tpu", 0, 7, "python3")]
    assert len(facts(text)) == 2


def test_silence_is_unread():
    with pytest.raises(Unread):
        facts("\n")
    lost = Capture(tpu_info.TPU_INFO.source, status=Status.TIMEOUT)
    with pytest.raises(Unread, match="timeout"):
        list(tpu_info.chips(Seen(Evidence("n", {lost.source: lost}))))
