"""The XML of nvidia-smi: the reference node, older and newer drivers, errors, cuts."""

from pathlib import Path

import pytest

from assay.accelerators.nvidia import NVIDIA
from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.model.facts.nvidia import MigInstance, NvidiaDevice
from assay.probes import nvidia_smi
from assay.probes.nvidia_smi import XML

SOUND = host("hgx-h100").captures[XML.source].data.decode()


def read(text, exit_code=0, stderr=""):
    """The facts, and why they are not all."""
    capture = Capture(XML.source, text.encode(), exit_code=exit_code, stderr=stderr)
    facts, unread = [], ""
    try:
        for fact in nvidia_smi.gpus(Seen(Evidence("n", {XML.source: capture}))):
            facts.append(fact)  # noqa: PERF402  (keeps what came before an error)
    except Unread as reason:
        unread = str(reason)
    return facts, unread


def of(facts, kind):
    return [fact for fact in facts if isinstance(fact, kind)]


def log(*gpus, attached=None, driver="550.54.15"):
    return (
        '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n'
        f"<nvidia_smi_log>\n<driver_version>{driver}</driver_version>\n"
        f"<attached_gpus>{len(gpus) if attached is None else attached}</attached_gpus>\n"
        + "".join(gpus)
        + "</nvidia_smi_log>\n"
    )


def gpu(bus, inside=""):
    return (
        f'<gpu id="{bus}"><product_name>NVIDIA H200</product_name>'
        f"<pci><pci_bus_id>{bus}</pci_bus_id></pci>{inside}</gpu>\n"
    )


def test_the_reference_node_has_eight_sound_gpus():
    facts, unread = read(SOUND)
    gpus = of(facts, Accelerator)
    assert not unread
    assert [g.index for g in gpus] == list(range(8))
    first = gpus[0]
    assert (first.product, first.bdf) == ("NVIDIA H100 80GB HBM3", "0000:1b:00.0")
    assert (first.memory_mib, first.memory_used_mib) == (81559, 0)
    assert (first.temperature_c, first.memory_temperature_c) == (32, 38)
    assert (first.power_w, first.power_limit_w, first.power_default_w) == (69.41, 700, 700)
    assert (first.pcie_generation, first.pcie_width, first.pcie_replays) == (5, 16, 0)
    assert (first.pcie_generation_max, first.pcie_width_max) == (5, 16)
    assert first.ecc_enabled is True
    assert (first.ecc_corrected_volatile, first.ecc_uncorrected_aggregate) == (0, 0)
    assert (first.remap_pending, first.remap_failed, first.remap_uncorrected) == (False, False, 0)
    assert first.throttle == ()
    assert (first.partition_mode, first.compute_mode, first.processes) == ("disabled", "Default", 0)
    assert (first.fabric_state, first.fabric_status, first.fault) == ("Completed", "Success", "")
    assert NVIDIA.part(first.product).name == "H100 SXM"
    more = of(facts, NvidiaDevice)[0]
    assert (more.recovery_action, more.gsp_firmware) == ("None", first.driver)
    assert dict(more.banks) == {"max": 2560, "high": 0, "partial": 0, "low": 0, "none": 0}
    assert (more.sram_volatile, more.sram_threshold_exceeded) == (0, False)
    assert (more.thermal_margin_c, more.graphics_clock_max_mhz) == (56, 1980)


def test_a_saved_answer_is_recognised_even_behind_a_prompt():
    parsed = parse(f"root@n1:~# nvidia-smi -q -x\r\n{SOUND}".encode(), catalogue().probes)
    assert parsed.source == XML.source
    assert len(of(parsed.results[0].facts, Accelerator)) == 8


@pytest.mark.parametrize(
    ("text", "code", "kind"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.95",
         18, "driver-library-mismatch"),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure "
         "that the latest NVIDIA driver is installed and running.\n", 9, "driver-not-loaded"),
        ("Failed to initialize NVML: Driver Not Loaded\n", 9, "driver-not-loaded"),
        ("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that "
         "the NVIDIA Display Driver is properly installed\n", 12, "no-library"),
        ("Failed to initialize NVML: Insufficient Permissions\n", 4, "no-permission"),
        ("Failed to initialize NVML: GPU access blocked by the operating system\n", 17,
         "no-permission"),
        ("Failed to initialize NVML: Unknown Error\n", 255, "other"),
        ("Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error\n", 255,
         "device-lost"),
        ("Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.  Reboot the "
         "system to recover this GPU\n", 15, "device-lost"),
        ("", 9, "driver-not-loaded"),
    ],
)  # fmt: skip
def test_an_error_is_a_fact_and_never_a_value(text, code, kind):
    facts, unread = read(text, exit_code=code)
    assert [(fact.kind, fact.exit_code) for fact in facts] == [(kind, code)]
    assert unread


def test_an_error_on_stderr_counts_too():
    facts, unread = read("", exit_code=9, stderr="NVIDIA-SMI has failed because it couldn't "
                         "communicate with the NVIDIA driver.\n")  # fmt: skip
    assert facts[0].kind == "driver-not-loaded"
    assert unread


def test_no_devices_is_read_and_nothing_there():
    facts, unread = read("No devices were found\n", exit_code=6)
    assert facts == [VendorToolError("nvidia", "nvidia-smi", "no-devices", "No devices were found",
                                     6)]  # fmt: skip
    assert not unread


def test_a_lost_gpu_takes_its_number_between_the_others():
    banner = "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error\n"
    text = banner + log(gpu("00000000:1A:00.0"), gpu("00000000:5E:00.0"), attached=3)
    facts, unread = read(text, exit_code=255)
    assert not unread
    assert of(facts, VendorToolError)[0].device == "0000:3b:00.0"
    assert [(g.index, g.bdf, bool(g.fault)) for g in of(facts, Accelerator)] == [
        (0, "0000:1a:00.0", False),
        (1, "0000:3b:00.0", True),
        (2, "0000:5e:00.0", False),
    ]


def test_a_lost_gpu_may_be_named_by_its_number():
    banner = "Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error\n"
    facts, _ = read(banner + log(gpu("00000000:1A:00.0"), gpu("00000000:5E:00.0")))
    assert [g.index for g in of(facts, Accelerator)] == [0, 1, 2]
    assert of(facts, Accelerator)[1].bdf == "0000:34:00.0"


def test_a_corrupt_inforom_is_an_error_beside_the_values():
    text = log(gpu("00000000:1B:00.0")) + "WARNING: infoROM is corrupted at gpu 0000:1B:00.0\n"
    facts, unread = read(text, exit_code=14)
    assert not unread
    assert of(facts, VendorToolError)[0].device == "0000:1b:00.0"
    assert len(of(facts, Accelerator)) == 1


@pytest.mark.parametrize(
    ("word", "fault"),
    [
        ("GPU is lost", "GPU is lost (temperature)"),
        ("[Unknown Error]", "Unknown Error (temperature)"),
        ("ERR!", "ERR! (temperature)"),
        ("[GPU requires reset]", "GPU requires reset (temperature)"),
        ("N/A", ""),
        ("Requested functionality has been deprecated", ""),
        ("[Insufficient Permissions]", ""),
    ],
)
def test_error_words_are_faults_and_refusals_are_silence(word, fault):
    inside = f"<temperature><gpu_temp>{word}</gpu_temp></temperature>"
    (found,) = of(read(log(gpu("00000000:1B:00.0", inside)))[0], Accelerator)
    assert (found.temperature_c, found.fault) == (None, fault)


def test_fewer_gpus_than_counted_is_unread():
    facts, unread = read(log(gpu("00000000:1B:00.0"), attached=8))
    assert len(of(facts, Accelerator)) == 1
    assert unread == "nvidia-smi counts 8 GPUs but describes 1"


def test_a_cut_answer_gives_the_gpus_that_are_whole():
    facts, unread = read(SOUND[: SOUND.index("<gpu id", len(SOUND) // 2) + 2000])
    assert 3 <= len(of(facts, Accelerator)) <= 5
    assert of(facts, Accelerator)[0].driver == of(read(SOUND)[0], Accelerator)[0].driver
    assert "cut short" in unread


def test_throttle_was_renamed_to_clock_events():
    for old in ("clocks_throttle_reason", "clocks_event_reason"):
        inside = (
            f"<{old}s><{old}_gpu_idle>Active</{old}_gpu_idle>"
            f"<{old}_hw_thermal_slowdown>Active</{old}_hw_thermal_slowdown>"
            f"<{old}_sw_power_cap>Not Active</{old}_sw_power_cap></{old}s>"
        )
        (found,) = of(read(log(gpu("00000000:1B:00.0", inside)))[0], Accelerator)
        assert found.throttle == ("hw_thermal_slowdown",)


def test_an_unlisted_word_is_none():
    old = "clocks_event_reason"
    inside = (
        f"<{old}s><{old}_hw_slowdown>Perhaps</{old}_hw_slowdown>"
        f"<{old}_sw_power_cap>Not Active</{old}_sw_power_cap></{old}s>"
        "<remapped_rows><remapped_row_pending>Pending</remapped_row_pending>"
        "<remapped_row_failure>Maybe</remapped_row_failure></remapped_rows>"
        "<ecc_mode><current_ecc>Half</current_ecc></ecc_mode>"
    )
    (found,) = of(read(log(gpu("00000000:1B:00.0", inside)))[0], Accelerator)
    assert (found.throttle, found.remap_pending, found.remap_failed) == (None, None, None)
    assert found.ecc_enabled is None


def test_power_readings_moved_and_split():
    old = "<power_readings><power_draw>51.2 W</power_draw><power_limit>250.00 W</power_limit></power_readings>"  # noqa: E501
    new = "<gpu_power_readings><average_power_draw>N/A</average_power_draw><instant_power_draw>51.2 W</instant_power_draw><current_power_limit>250.00 W</current_power_limit></gpu_power_readings>"  # noqa: E501
    for inside in (old, new):
        (found,) = of(read(log(gpu("00000000:1B:00.0", inside)))[0], Accelerator)
        assert (found.power_w, found.power_limit_w) == (51.2, 250)


def test_ecc_counts_of_three_generations_of_drivers():
    volta = "<ecc_errors><volatile><single_bit><device_memory>2</device_memory><total>3</total></single_bit><double_bit><total>1</total></double_bit></volatile></ecc_errors>"  # noqa: E501
    ampere = "<ecc_errors><volatile><sram_correctable>1</sram_correctable><sram_uncorrectable>0</sram_uncorrectable><dram_correctable>2</dram_correctable><dram_uncorrectable>1</dram_uncorrectable></volatile></ecc_errors>"  # noqa: E501
    hopper = "<ecc_errors><volatile><sram_correctable>3</sram_correctable><sram_uncorrectable_parity>0</sram_uncorrectable_parity><sram_uncorrectable_secded>1</sram_uncorrectable_secded><dram_correctable>0</dram_correctable><dram_uncorrectable>0</dram_uncorrectable></volatile></ecc_errors>"  # noqa: E501
    for inside in (volta, ampere, hopper):
        (found,) = of(read(log(gpu("00000000:1B:00.0", inside)))[0], Accelerator)
        assert (found.ecc_corrected_volatile, found.ecc_uncorrected_volatile) == (3, 1)
        assert found.ecc_uncorrected_aggregate is None


def test_the_driver_is_the_kernel_module_without_the_note_on_deprecation():
    text = log(gpu("00000000:1B:00.0"), driver="610.57.04 [Deprecated; will be removed]")
    assert of(read(text)[0], Accelerator)[0].driver == "610.57.04"
    text = text.replace("<attached", "<kmd_version>610.57.05</kmd_version><attached")
    assert of(read(text)[0], Accelerator)[0].driver == "610.57.05"


def test_mig_devices_and_processes():
    inside = """
    <mig_mode><current_mig>Enabled</current_mig><pending_mig>Enabled</pending_mig></mig_mode>
    <mig_devices><mig_device><index>0</index><gpu_instance_id>2</gpu_instance_id>
      <compute_instance_id>1</compute_instance_id>
      <ecc_error_count><volatile_count><sram_uncorrectable>0</sram_uncorrectable></volatile_count>
      </ecc_error_count><fb_memory_usage><total>19968 MiB</total><used>12 MiB</used>
      </fb_memory_usage></mig_device></mig_devices>
    <processes><process_info><gpu_instance_id>2</gpu_instance_id><pid>4711</pid><type>C</type>
      <process_name>python</process_name><used_memory>11 MiB</used_memory></process_info>
    </processes>"""
    facts, _ = read(log(gpu("00000001:1B:00.0", inside)))
    (found,) = of(facts, Accelerator)
    assert (found.bdf, found.partition_mode, found.processes) == ("0001:1b:00.0", "enabled", 1)
    assert of(facts, MigInstance) == [
        MigInstance(0, 0, "", 2, 1, memory_mib=19968, memory_used_mib=12, ecc_uncorrected=0)
    ]
    assert of(facts, DeviceProcess) == [DeviceProcess("nvidia", 0, 4711, "python", 11)]


def test_the_last_of_several_answers_counts():
    hot, cool = (
        log(gpu("00000000:1B:00.0", f"<temperature><gpu_temp>{t} C</gpu_temp></temperature>"))
        for t in (81, 34)
    )
    (found,) = of(read(hot + cool)[0], Accelerator)
    assert found.temperature_c == 34


@pytest.mark.parametrize("text", ["", "N/A\n", "Permission denied\n", "<a>" * 3000, "\x00\xff"])
def test_junk_is_unread(text):
    facts, unread = read(text)
    assert unread
    assert not of(facts, Accelerator)


def test_entities_are_refused():
    bomb = SOUND.replace("<nvidia_smi_log>", '<nvidia_smi_log><!ENTITY a "b">', 1)
    assert "entities" in read(bomb)[1]


def test_not_installed_and_not_read_give_nothing():
    gone = Evidence("n", {XML.source: Capture(XML.source, status=Status.ABSENT)})
    assert not list(nvidia_smi.gpus(Seen(gone)))
    assert not list(nvidia_smi.gpus(Seen(Evidence("n", {}))))
    late = Evidence("n", {XML.source: Capture(XML.source, status=Status.TIMEOUT)})
    with pytest.raises(Unread, match="timeout"):
        list(nvidia_smi.gpus(Seen(late)))


@pytest.mark.corpus
def test_the_corpus_has_every_gpu(samples: Path):
    known = {"1": 8, "2": 8, "4": 4, "5": 1, "6": 1, "7": 1, "9": 1, "11": 1}
    for number, gpus in known.items():
        path = samples / f"nvidia-nvidia_smi_qx_xml-{number}.txt"
        if path.exists():
            facts, unread = read(path.read_text())
            assert (len(of(facts, Accelerator)), unread) == (gpus, "")
            assert all(g.product and g.driver and g.memory_mib for g in of(facts, Accelerator))
