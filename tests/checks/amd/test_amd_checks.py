from assay.checks.amd.bad_pages import bad_pages
from assay.checks.amd.device_access import device_access
from assay.checks.amd.partitions_agree import partitions_agree
from assay.checks.amd.partitions_alike import partitions_alike
from assay.checks.amd.tool_answers import tool_answers
from assay.checks.amd.uncorrectable_errors import uncorrectable_errors
from assay.model.fact import Fleet, Group
from assay.model.facts.device import (
    BadPages,
    DeviceNode,
    GpuPartition,
    RasBlock,
    ToolAnswer,
)
from assay.model.facts.pci import PciDevice


def told(verdicts):
    return [(v.subject, str(v.outcome)) for v in verdicts]


def gpu(bdf, driver="amdgpu", vendor="1002"):
    return PciDevice(bdf, vendor, "74a1", "120000", driver)


def test_a_gpu_on_the_bus_that_the_tool_does_not_list():
    answer = ToolAnswer("amd", "amd-smi", 1, ("0000:0c:00.0",))
    devices = [gpu("0000:0c:00.0"), gpu("0000:22:00.0"), gpu("0000:38:00.0", "vfio-pci")]
    assert told(tool_answers([answer], devices)) == [
        ("amd-smi", "pass"), ("pci 0000:22:00.0", "fail"),
    ]  # fmt: skip


def test_tools_without_gpus_matter_where_there_are_gpus():
    answer = ToolAnswer("amd", "rocm-smi", 0, (), "Driver not initialized")
    assert told(tool_answers([answer], [gpu("0000:0c:00.0")])) == [("rocm-smi", "fail")]
    nvidia = PciDevice("0000:18:00.0", "10de", "2330", "030200", "nvidia")
    assert told(tool_answers([answer], [nvidia])) == [("rocm-smi", "not-applicable")]
    assert told(tool_answers([answer], None)) == [("rocm-smi", "fail")]


def test_gpus_without_a_tool_are_unknown_and_no_gpus_are_nothing():
    assert told(tool_answers([], [gpu("0000:0c:00.0")])) == [("host", "unknown")]
    assert told(tool_answers([], [])) == []
    assert told(tool_answers([], None)) == []


def test_the_worse_of_two_sources_counts():
    blocks = [
        RasBlock("amd", 0, "0000:0c:00.0", "UMC", True, 0, 0),
        RasBlock("amd", None, "0000:0c:00.0", "UMC", None, 5, 1),
        RasBlock("amd", 1, "0000:22:00.0", "UMC", True, 9, 0),
        RasBlock("amd", 2, "0000:38:00.0", "UMC", True),
    ]
    assert told(uncorrectable_errors(blocks)) == [
        ("0000:0c:00.0", "fail"), ("0000:22:00.0", "pass"), ("0000:38:00.0", "unknown"),
    ]  # fmt: skip


def test_bad_pages_in_use_and_out_of_use():
    pages = [
        BadPages("amd", 0, "", 3, 0, 0),
        BadPages("amd", 1, "", 3, 0, 1),
        BadPages("amd", 2, "", 3, None, None),
        BadPages("amd", 3, "", 300, 0, 0, 256),
    ]
    assert told(bad_pages(pages)) == [
        ("gpu 0", "pass"), ("gpu 1", "fail"), ("gpu 2", "unknown"), ("gpu 3", "fail"),
    ]  # fmt: skip


def test_partitions_of_a_node_and_of_a_fleet():
    whole = [GpuPartition(n, "SPX", "NPS1") for n in range(3)]
    assert told(partitions_alike(whole)) == [("host", "pass")]
    assert told(partitions_alike([*whole, GpuPartition(3, "CPX", "NPS1")])) == [("gpu 3", "fail")]
    assert told(partitions_alike([])) == []
    cut = (GpuPartition(0, "CPX", "NPS1"),)
    fleet = Fleet([Group(("a", "b"), tuple(whole)), Group(("c",), cut), Group(("d",), ())])
    assert [(str(v.outcome), v.nodes) for v in partitions_agree(fleet)] == [
        ("pass", ("a", "b")), ("fail", ("c",)),
    ]  # fmt: skip


def test_device_files():
    kfd = DeviceNode("/dev/kfd", "c", 0o660, 0, 110)
    render = DeviceNode("/dev/dri/renderD128", "c", 0o666, 0, 0)
    assert told(device_access([kfd, render])) == [("host", "pass")]
    assert told(device_access([kfd])) == [("host", "fail"), ("host", "pass")]
    root = DeviceNode("/dev/kfd", "c", 0o660, 0, 0)
    assert told(device_access([root, render]))[0] == ("/dev/kfd", "fail")
    # a desktop with a render node and no compute device
    assert told(device_access([render])) == []
