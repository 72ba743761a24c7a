"""The edges of the rules about accelerators: shares, slices, other makers, desktops, silence."""

from dataclasses import replace

import pytest
from gpu_sample import H100, LAPTOP, LOST, MI300X, MORE, SHARE, TPU, VGPU, node, told, words

from assay.checks.gpu.alike import alike
from assay.checks.gpu.all_listed import all_listed
from assay.checks.gpu.compute_mode import compute_mode
from assay.checks.gpu.ecc_enabled import ecc_enabled
from assay.checks.gpu.ecc_uncorrected import ecc_uncorrected
from assay.checks.gpu.fabric_state import fabric_state
from assay.checks.gpu.idle_power import idle_power
from assay.checks.gpu.memory_size import memory_size
from assay.checks.gpu.no_leftovers import no_leftovers
from assay.checks.gpu.none_lost import none_lost
from assay.checks.gpu.not_throttled import not_throttled
from assay.checks.gpu.pcie_link import pcie_link
from assay.checks.gpu.pcie_replays import pcie_replays
from assay.checks.gpu.persistence import persistence
from assay.checks.gpu.power_limit import power_limit
from assay.checks.gpu.row_remapping import row_remapping
from assay.checks.gpu.temperature import temperature
from assay.checks.gpu.tool_answers import tool_answers
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.clock import Uptime
from assay.model.facts.dmi import Virtualization
from assay.model.facts.nvidia import MigInstance
from assay.model.facts.pci import PciDevice

EVERY = {
    "alike": alike, "listed": lambda d: all_listed(d, None, None), "mode": compute_mode,
    "ecc": lambda d: ecc_enabled(d, None), "errors": lambda d: ecc_uncorrected(d, None),
    "fabric": lambda d: fabric_state(d, None), "power": idle_power, "memory": memory_size,
    "leftovers": lambda d: no_leftovers(d, None), "throttle": lambda d: not_throttled(d, None),
    "pcie": lambda d: pcie_link(d, None), "replays": lambda d: pcie_replays(d, None),
    "persistence": persistence, "limit": lambda d: power_limit(d, None),
    "rows": lambda d: row_remapping(d, None), "heat": lambda d: temperature(d, None),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(EVERY.keys() - {"listed"}))
def test_a_lost_gpu_is_one_finding_and_not_twenty(name):
    assert not [v for v in EVERY[name]([LOST]) if v.subject == "gpu 3"]


@pytest.mark.parametrize("name", EVERY)
def test_a_maker_that_tells_little_is_not_blamed_for_it(name):
    assert not [v for v in EVERY[name]([TPU]) if str(v.outcome) == "fail"]


@pytest.mark.parametrize("name", EVERY)
def test_a_laptop_is_no_node(name):
    verdicts = list(EVERY[name]([LAPTOP]))
    grave = [v for v in verdicts if str(v.outcome) == "fail" and str(v.severity) != "info"]
    assert not grave
    assert not [v for v in verdicts if str(v.outcome) == "unknown" and name != "listed"]


@pytest.mark.parametrize("name", EVERY)
def test_silence_never_passes(name):
    """A part of the table about which the tool tells nothing but its name."""
    silent = [Accelerator("nvidia", n, H100.product) for n in range(2)]
    passes = [v for v in EVERY[name](silent) if str(v.outcome) == "pass"]
    assert name in ("listed", "alike") or not passes


@pytest.mark.parametrize(
    "check", [ecc_enabled, fabric_state, not_throttled, pcie_link, power_limit, row_remapping,
              temperature],
)  # fmt: skip
def test_a_vgpu_hides_its_board_and_that_is_no_fault(check):
    assert not [v for v in check([VGPU], SHARE) if str(v.outcome) in ("fail", "unknown", "pass")]


def test_gpus_alike():
    assert told(alike(node())) == [("nvidia", "pass")]
    assert told(alike(node(gpu3={"firmware": "96.00.74"}))) == [("gpu 3", "fail")]
    assert told(alike(node(gpu3={"firmware": ""}))) == [("gpu 3", "unknown")]
    (cut,) = alike(node(gpu0={"partition_mode": "enabled"}))
    assert str(cut.severity) == "low"
    half = [replace(d, firmware="other") if d.index < 4 else d for d in node()]
    assert told(alike(half)) == [("nvidia", "fail")]
    assert "other on 4" in words(alike(half))
    # a display card beside the GPUs, and a lost one, are no odd ones
    assert told(alike([*node(2), replace(LAPTOP, index=2), LOST])) == [("nvidia", "pass")]
    assert not told(alike([H100, replace(MI300X, index=0)]))


def bus(count, driver="nvidia", vendor="10de"):
    return [PciDevice(f"0000:{16 + n:02x}:00.0", vendor, "2330", "030200", driver)
            for n in range(count)]  # fmt: skip


def test_all_listed():
    metal = [Virtualization(False)]
    pod = [Virtualization(False, container="containerd")]
    assert told(all_listed(node(8), bus(8), metal)) == [("nvidia", "pass")]
    assert told(all_listed(node(7), bus(8), metal)) == [("nvidia", "fail")]
    assert told(all_listed(node(7), bus(7), metal)) == [("nvidia", "fail")]
    assert told(all_listed(node(4), bus(4), None)) == [("nvidia", "pass")]
    assert told(all_listed(node(2), bus(8), pod)) == [("nvidia", "unknown")]
    assert told(all_listed([], bus(8), metal)) == [("nvidia", "unknown")]
    assert told(all_listed([], bus(8, "vfio-pci"), metal)) == []
    assert told(all_listed([], [], metal)) == []
    # two tools list the same eight
    assert told(all_listed(node(8) * 2, bus(8), metal)) == [("nvidia", "pass")]
    # a new part, and a bus that was not read: nothing to compare with
    new = [replace(d, product="NVIDIA X900") for d in node(8)]
    assert told(all_listed(new, None, None)) == [("nvidia", "unknown")]


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [("Default", "pass"), ("Prohibited", "fail"), ("Exclusive_Process", "fail"),
     ("E. Process", "unknown"), ("", "unknown"), ("Best", "unknown")],
)  # fmt: skip
def test_compute_modes(mode, outcome):
    assert told(compute_mode([replace(H100, compute_mode=mode)])) == [("gpu 0", outcome)]


def test_ecc_now_and_after_a_reset():
    assert told(ecc_enabled([H100], [MORE])) == [("gpu 0", "pass")]
    (soon,) = ecc_enabled([H100], [replace(MORE, ecc_pending=False)])
    assert (str(soon.outcome), str(soon.severity)) == ("fail", "medium")
    assert told(ecc_enabled([H100], [replace(MORE, ecc_pending=None)])) == [("gpu 0", "unknown")]
    assert told(ecc_enabled([replace(H100, ecc_enabled=None)], None)) == [("gpu 0", "unknown")]
    (desktop,) = ecc_enabled([replace(LAPTOP, ecc_enabled=False)], None)
    assert str(desktop.severity) == "low"
    assert told(ecc_enabled([MI300X], None)) == []


def test_uncorrected_errors():
    old = replace(H100, ecc_uncorrected_aggregate=4)
    (verdict,) = ecc_uncorrected([old], None)
    assert str(verdict.severity) == "medium"
    assert "none since the driver was loaded" in verdict.because
    # only the aggregate was told
    only = replace(H100, ecc_uncorrected_volatile=None, ecc_uncorrected_aggregate=4)
    assert "since" not in words(ecc_uncorrected([only], None))
    silent = replace(only, ecc_uncorrected_aggregate=None)
    assert told(ecc_uncorrected([silent], None)) == [("gpu 0", "unknown")]
    assert told(ecc_uncorrected([], [MigInstance(2, 1, ecc_uncorrected=3)])) == [
        ("gpu 2 mig 1", "fail"),
    ]


@pytest.mark.parametrize(
    ("state", "status", "outcomes"),
    [("Completed", "Success", ["pass"]), ("In Progress", "N/A", ["fail"]),
     ("Not Started", "", ["fail"]), ("Completed", "Insufficient Resources", ["fail"]),
     ("Completed", "", ["unknown"]), ("Sleeping", "Success", ["unknown"]), ("", "", []),
     ("Not Supported", "N/A", [])],
)  # fmt: skip
def test_fabric_states(state, status, outcomes):
    device = replace(H100, fabric_state=state, fabric_status=status)
    assert [str(v.outcome) for v in fabric_state([device], None)] == outcomes


@pytest.mark.parametrize(
    ("health", "outcome"),
    [([("bandwidth", "Full"), ("route_unhealthy", "False"), ("summary", "Healthy")], "pass"),
     ([("bandwidth", "Degraded")], "fail"), ([("route_unhealthy", "True")], "fail"),
     ([("incorrect_configuration", "None")], "pass"),
     ([("incorrect_configuration", "No Partition")], "fail"),
     ([("incorrect_configuration", "Zorblax")], "unknown"), ([("summary", "So-so")], "unknown"),
     ([("bandwidth", "Not Supported")], "pass")],
)  # fmt: skip
def test_fabric_health(health, outcome):
    more = replace(MORE, fabric_health=tuple(health))
    assert told(fabric_state([H100], [more])) == [("gpu 0", outcome)]


def test_power():
    assert told(idle_power([replace(H100, power_w=300)])) == [("gpu 0", "fail")]
    assert told(idle_power([replace(H100, power_w=None)])) == [("gpu 0", "unknown")]
    for busy in ({"utilization_percent": 90}, {"processes": 1}, {"memory_used_mib": 60000},
                 {"utilization_percent": None}):  # fmt: skip
        assert told(idle_power([replace(H100, power_w=300, **busy)])) == []
    assert told(power_limit([replace(H100, power_limit_w=695)], None)) == [("gpu 0", "pass")]
    assert told(power_limit([replace(H100, power_limit_w=500)], None)) == [("gpu 0", "fail")]
    assert told(power_limit([replace(H100, power_limit_w=None)], None)) == [("gpu 0", "unknown")]


def test_memory():
    assert told(memory_size([replace(H100, memory_mib=75000)])) == [("gpu 0", "fail")]
    assert told(memory_size([replace(H100, memory_mib=95000)])) == [("gpu 0", "fail")]
    assert told(memory_size([replace(H100, partition_mode="enabled")])) == [("gpu 0", "pass")]
    # GDDR has a sixteenth more with ECC off
    l40s = Accelerator("nvidia", 0, "NVIDIA L40S", memory_mib=49140, ecc_enabled=False)
    assert told(memory_size([l40s])) == [("gpu 0", "pass")]
    eighth = replace(MI300X, memory_mib=24574, partition_mode="CPX/NPS4")
    assert told(memory_size([eighth])) == [("gpu 0", "not-applicable")]
    assert told(memory_size([MI300X])) == [("gpu 0", "pass")]
    assert told(memory_size([replace(H100, product="NVIDIA X900")])) == []


def test_leftovers():
    held = replace(H100, memory_used_mib=60000)
    assert told(no_leftovers([held], None)) == [("gpu 0", "fail")]
    pod = [Virtualization(None, container="docker")]
    assert told(no_leftovers([held], pod)) == [("gpu 0", "unknown")]
    assert told(no_leftovers([replace(held, processes=1)], None)) == []
    assert told(no_leftovers([replace(held, processes=None)], None)) == []


def test_lost_devices():
    assert told(none_lost([H100, LOST], None)) == [("gpu 0", "pass"), ("gpu 3", "fail")]
    (partly,) = none_lost([replace(H100, fault="ERR! (power)")], None)
    assert str(partly.severity) == "high"
    assert told(none_lost([replace(H100, product="")], None)) == [("gpu 0", "unknown")]
    gone = VendorToolError("nvidia", "nvidia-smi", "device-lost", "GPU is lost", 15)
    assert told(none_lost([H100], [gone]))[1:] == [("host", "fail")]
    placed = replace(gone, device=LOST.bdf)
    assert told(none_lost([LOST], [placed])) == [("gpu 3", "fail")]


@pytest.mark.parametrize(
    ("reasons", "busy", "outcome"),
    [((), 0, "pass"), (("sw_power_cap",), 100, "pass"), (("sw_power_cap",), 0, "fail"),
     (("sw_power_cap",), None, "unknown"), (("hw_thermal_slowdown",), 100, "fail"),
     (("hw_power_brake_slowdown",), 0, "fail"), (("sync_boost",), 0, "pass"),
     (("applications_clocks_setting",), 50, "pass"), (("moon_phase",), 0, "unknown"),
     (("prochot_thermal",), 10, "fail"), (("ppt",), 99, "pass")],
)  # fmt: skip
def test_reasons_to_slow_down(reasons, busy, outcome):
    device = replace(H100, throttle=reasons, utilization_percent=busy)
    assert told(not_throttled([device], None)) == [("gpu 0", outcome)]


def test_heat_before_now():
    counted = replace(
        MORE, throttled_us=(("hw_thermal_slowdown", 59_000_000), ("sync_boost", 10**12))
    )
    assert told(not_throttled([H100], [counted])) == [("gpu 0", "pass")]
    counted = replace(MORE, throttled_us=(("hw_thermal_slowdown", 61_000_000),))
    assert told(not_throttled([H100], [counted])) == [("gpu 0", "fail")]


def test_pcie_links():
    assert told(pcie_link([replace(H100, pcie_width=8)], None)) == [("gpu 0", "fail")]
    # an idle GPU may lower its speed, not what it can do
    assert told(pcie_link([replace(H100, pcie_generation=1)], None)) == [("gpu 0", "pass")]
    assert told(pcie_link([replace(H100, pcie_generation_max=None)], None)) == [
        ("gpu 0", "unknown")
    ]
    assert told(pcie_link([replace(H100, pcie_width=None)], None)) == [("gpu 0", "unknown")]
    grace = Accelerator("nvidia", 0, "NVIDIA GB200")
    assert told(pcie_link([grace], None)) == [("gpu 0", "not-applicable")]
    assert told(pcie_link([MI300X], None)) == [("gpu 0", "pass")]


def test_replays():
    day = [Uptime(86400.0)]
    few, many = replace(H100, pcie_replays=11520), replace(H100, pcie_replays=11521)
    assert told(pcie_replays([few], day)) == [("gpu 0", "pass")]
    assert told(pcie_replays([many], day)) == [("gpu 0", "fail")]
    assert told(pcie_replays([few], None)) == [("gpu 0", "unknown")]
    assert told(pcie_replays([few], [Uptime(0.0)])) == [("gpu 0", "unknown")]
    assert told(pcie_replays([H100], None)) == [("gpu 0", "pass")]


def test_rows_and_pages():
    v100 = replace(H100, product="Tesla V100-SXM2-32GB", remap_pending=None, remap_failed=None,
                   retired_pages=2, retire_pending=False)  # fmt: skip
    assert told(row_remapping([v100], None)) == [("gpu 0", "pass")]
    assert told(row_remapping([replace(v100, retired_pages=64)], None)) == [("gpu 0", "fail")]
    assert told(row_remapping([replace(v100, retire_pending=True)], None)) == [("gpu 0", "fail")]
    assert told(row_remapping([replace(v100, retire_pending=None)], None)) == [("gpu 0", "unknown")]
    half = replace(H100, remap_pending=None)
    assert told(row_remapping([half], None)) == [("gpu 0", "unknown")]
    banks = replace(MORE, banks=(("max", 639), ("none", 1)))
    assert told(row_remapping([H100], [banks])) == [("gpu 0", "fail")]
    assert told(row_remapping([MI300X], None)) == []


def test_heat():
    for celsius, outcome in ((86, "pass"), (87, "fail"), (0, "unknown"), (255, "unknown")):
        busy = replace(H100, temperature_c=celsius, utilization_percent=90)
        assert told(temperature([busy], None)) == [("gpu 0", outcome)]
    assert told(temperature([replace(H100, temperature_c=61)], None)) == [("gpu 0", "fail")]
    assert told(temperature([replace(H100, memory_temperature_c=96)], None)) == [("gpu 0", "fail")]
    margin = replace(MORE, thermal_margin_c=-1)
    busy = replace(H100, temperature_c=80, utilization_percent=90)
    assert told(temperature([busy], [margin])) == [("gpu 0", "fail")]


def test_what_tools_say_matters_where_there_are_devices():
    broken = VendorToolError("nvidia", "nvidia-smi", "driver-not-loaded", "no driver", 9)
    assert told(tool_answers([broken], [], bus(8))) == [("host", "fail")]
    assert told(tool_answers([broken], [], None)) == [("host", "fail")]
    other = bus(1, "ahci", "8086")
    assert told(tool_answers([broken], [], other)) == [("host", "not-applicable")]
    none = replace(broken, kind="no-devices")
    assert told(tool_answers([none], [], bus(8))) == [("host", "unknown")]
    assert told(tool_answers([replace(none, kind="other")], [], bus(8))) == [("host", "unknown")]
    adapter = VendorToolError("nvidia", "infiniband-diags", "no-permission", "denied", 1)
    assert told(tool_answers([adapter], node(8), bus(8))) == [("host", "pass")]
    assert told(tool_answers([], [], bus(8))) == []
    lost = replace(broken, kind="device-lost", device="0000:3b:00.0")
    assert told(tool_answers([lost], node(8), bus(8))) == [("0000:3b:00.0", "fail")]
