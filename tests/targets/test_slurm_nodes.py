"""What the controller's words mean, in the forms of several versions of Slurm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.targets import slurm_nodes
from assay.targets.slurm_names import expand, fold
from assay.targets.slurm_nodes import Node, Partition, choose, configured, devices_isolated

NODE = (
    "NodeName=gpu-007 Arch=x86_64 CoresPerSocket=56  CPUAlloc=16 CPUEfctv=224 CPUTot=224"
    " CPULoad=1.02 AvailableFeatures=h100 ActiveFeatures=h100 Gres=gpu:h100:8(S:0-1)"
    " GresDrain=N/A GresUsed=gpu:h100:2(IDX:0-1) NodeAddr=gpu-007 NodeHostName=gpu-007"
    " Version=23.11.4 OS=Linux 5.15.0-105-generic #115-Ubuntu SMP Mon Apr 15 09:52:04 UTC 2024 "
    " RealMemory=2063855 AllocMem=65536 FreeMem=1912345 Sockets=2 Boards=1 State={state}"
    " ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=gpu,debug"
    "  BootTime=2026-11-02T09:12:44 SlurmdStartTime=2026-11-02T09:14:01"
    " LastBusyTime=2026-12-01T01:02:03 ResumeAfterTime=None"
    " CfgTRES=cpu=224,mem=2063855M,billing=224,gres/gpu=8 AllocTRES=cpu=16,mem=64G,gres/gpu=2"
    " CapWatts=n/a CurrentWatts=0 AveWatts=0"
    " ExtSensorsJoules=n/a ExtSensorsWatts=0 ExtSensorsTemp=n/a{reason}"
)


def node(state, reason="", comment=""):
    text = f" Reason={reason}" if reason else ""
    (found,) = slurm_nodes.nodes(NODE.format(state=state, reason=text) + comment + "\n")
    return found


def test_a_node():
    assert node("MIXED") == Node(
        name="gpu-007",
        states=("MIXED",),
        partitions=("gpu", "debug"),
        cpus=224,
        cpus_used=16,
        memory=2063855,
        memory_used=65536,
        gpus=8,
        gpus_used=2,
    )


@pytest.mark.parametrize("state", ["IDLE", "MIXED", "IDLE+PLANNED", "MIXED+CLOUD+COMPLETING"])
def test_these_take_jobs(state):
    assert node(state).closed() == ""


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("IDLE+DRAIN", "draining"),  # 16 CPUs are still in use
        ("DOWN", "down"),
        ("DOWN+DRAIN", "down"),
        ("DOWN*", "down"),
        ("DOWN*+DRAIN", "down"),
        ("IDLE+NOT_RESPONDING", "does not respond"),
        ("IDLE*", "does not respond"),
        ("IDLE~", "powered down"),
        ("IDLE+CLOUD+POWERED_DOWN", "powered down"),
        ("MIXED+CLOUD+POWERING_UP", "powered down or starting"),
        ("IDLE+REBOOT_ISSUED", "rebooting"),
        ("IDLE+RESERVED", "reserved"),
        ("IDLE+MAINT+RESERVED", "in maintenance"),
        ("IDLE+DRAIN+INVALID_REG", "draining"),
        ("UNKNOWN", "asks no node (unknown)"),
        ("FUTURE", "asks no node (future)"),
        ("IDLE+SOMETHING_NEW", "asks no node (idle+something_new)"),
        ("", "asks no node ()"),
    ],
)
def test_these_take_none(state, why):
    assert why in node(state).closed()


def test_a_reservation_of_ours():
    assert node("IDLE+RESERVED").closed("maintenance") == ""


@pytest.mark.parametrize(
    ("reason", "comment", "means"),
    [
        ("bad GPU 3 [x] [root@2026-12-01T05:07:26]", "", "bad GPU 3 [x] (root, 2026-12-01T"),
        ("gpu State=IDLE CPUAlloc=0 [slurm@2026-12-01T05:07:26]", "", "gpu State=IDLE CPUAlloc=0"),
        ("RMA", " Comment=State=IDLE", "RMA"),
    ],
)
def test_reasons_are_free_text(reason, comment, means):
    found = node("IDLE+DRAIN", reason, comment)
    assert found.reason.startswith(means)
    assert "Comment" not in found.reason
    assert found.cpus_used == 16
    assert found.closed() == f"draining: {found.reason}"


@pytest.mark.parametrize(
    ("gres", "count"),
    [
        ("gpu:h100:8", 8),
        ("gpu:8(S:0-1)", 8),
        ("gpu:h100:8(S:0-1),nic:1", 8),
        ("gpu:a100_3g.20gb:4(S:0),gpu:a30:2", 6),
        ("gpu", 1),
        ("gpu:h100:0(IDX:N/A)", 0),
        ("gpu:a100:3(IDX:0,2,5-7)", 3),
        ("nic:gpu:4", 0),
        ("", 0),
    ],
)
def test_gpus(gres, count):
    assert slurm_nodes._gpus(gres) == count


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({}, ""),
        ({"gpus": 6}, ""),
        ({"gpus": 7}, "busy: 2 of 8 GPUs are allocated"),
        ({"gpus": 16}, "has 8 GPUs, 16 were asked for"),
        ({"whole": True}, "whole nodes only"),
        ({"memory": 1999000}, "MiB of memory are allocated"),
    ],
)
def test_room_on_a_half_busy_node(settings, why):
    found = node("MIXED").full(**{"memory": 512, "gpus": 0, "whole": False, **settings})
    assert why in found
    assert bool(found) == bool(why)


def partition(name, **settings):
    return Partition(name, up=settings.pop("up", True), **settings)


def test_the_partition_with_most_nodes_then_the_default_then_the_humblest():
    nodes = [Node(f"n{at}", ("IDLE",), partitions=("a", "b")) for at in range(3)]
    nodes.append(Node("n9", ("IDLE",), partitions=("b", "c")))
    a, b, c = partition("a", default=True), partition("b", tier=9), partition("c")
    assert choose([a, b, c], nodes, root=True).name == "b"
    assert choose([a, b, c], nodes[:3], root=True).name == "a"
    assert choose([partition("b", up=False), c], nodes, root=True).name == "c"
    assert choose([partition("b", root_only=True), c], nodes, root=False).name == "c"
    assert choose([partition("b", reservation_only=True), c], nodes, root=True).name == "c"
    assert choose([partition("b", most_nodes=1), a], nodes, root=True).name == "a"
    assert choose([], nodes, root=True) is None


def test_partitions():
    (found,) = slurm_nodes.partitions(
        "PartitionName=gpu AllowGroups=ALL Default=YES RootOnly=NO ReqResv=NO MaxNodes=16"
        " OverSubscribe=EXCLUSIVE PriorityTier=5 State=UP TotalNodes=64\nnoise\n"
    )
    assert found == Partition("gpu", up=True, default=True, whole_nodes=True, tier=5, most_nodes=16)


@pytest.mark.parametrize(
    ("config", "isolated"),
    [
        ("TaskPlugin              = task/none\n", False),
        ("TaskPlugin              = task/affinity\nConstrainDevices = yes\n", False),
        ("TaskPlugin = task/affinity,task/cgroup\nConstrainDevices        = yes\n", True),
        ("TaskPlugin = task/cgroup,task/affinity\nConstrainDevices        = no\n", False),
        ("TaskPlugin = task/cgroup\n", True),  # not said: taken as yes
        ("", True),
    ],
)
def test_isolation_of_devices(config, isolated):
    assert devices_isolated(config) is isolated


def test_names_of_a_configuration():
    text = "# NodeName=no\nnodename=gpu-[001-003],\\\nlogin CPUs=4\nNodeName=DEFAULT\nNodeName=x[\n"
    assert configured(text) == ["gpu-001", "gpu-002", "gpu-003", "login"]


def test_lists_of_names():
    assert expand("r[1-2]n[08-10],login") == [
        *("r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10", "login")
    ]
    assert fold(["n10", "n9", "n8", "login", "n12"]) == "login,n[10,12],n[8-9]"
    assert fold([]) == ""
    with pytest.raises(ValueError, match="no list of numbers"):
        expand("n[a-b]")
    with pytest.raises(ValueError, match="more than"):
        expand("n[1-999999][1-999999]")


@given(st.lists(st.from_regex(r"[a-z]{1,3}-?[0-9]{0,4}", fullmatch=True), max_size=30))
def test_what_is_folded_unfolds(names):
    assert set(expand(fold(names))) == set(names)


@given(st.text())
def test_junk_is_no_node_and_no_crash(text):
    slurm_nodes.nodes("NodeName=" + text)
    slurm_nodes.partitions("PartitionName=" + text)
    configured("NodeName=" + text)
