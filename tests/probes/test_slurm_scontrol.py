"""scontrol's answers: configuration, nodes, partitions, topology, jobs."""

import time

import pytest

from assay.demo.hgx_h100.slurm_cluster import NODE
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.kit.seen import NotAsked, Seen, Unread
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.hostname import Hostname
from assay.model.facts.slurm import (
    SlurmController,
    SlurmJob,
    SlurmNode,
    SlurmPartition,
    SlurmSetting,
    SlurmSwitch,
)
from assay.probes import hostname, slurm_config, slurm_nodes, slurm_partitions

MULTI = """\
$ scontrol show node
NodeName=gpu-007 Arch=x86_64 CoresPerSocket=48\x20
   CPUAlloc=0 CPUEfctv=192 CPUTot=192 CPULoad=0.02
   AvailableFeatures=h200,rack7
   ActiveFeatures=h200,rack7
   Gres=gpu:h200:4(S:0),gpu:h200:4(S:1),shard:64
   NodeAddr=10.0.0.7 NodeHostName=gpu-007 Version=24.11.5
   OS=Linux 6.8.0-71-generic #71~22.04-Ubuntu SMP PREEMPT_DYNAMIC Tue Jul 1\x20
   RealMemory=2000000 AllocMem=0 FreeMem=1990000 Sockets=2 Boards=1
   MemSpecLimit=8192
   State=IDLE+DRAIN+NOT_RESPONDING ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=main,debug\x20
   BootTime=2026-01-02T03:04:05 SlurmdStartTime=2026-01-02T03:06:07
   LastBusyTime=Unknown ResumeAfterTime=None
   CfgTRES=cpu=192,mem=2000000M,billing=192,gres/gpu=8
   AllocTRES=
   CurrentWatts=0 AveWatts=0

   Reason=NHC: check_hw State=bad temp=93 [root@2026-02-03T04:05:06]
   Comment=ticket 4711 Owner said so

NodeName=cloud-1 CoresPerSocket=1\x20
   CPUAlloc=0 CPUTot=1 CPULoad=N/A
   AvailableFeatures=(null)
   Gres=(null)
   State=IDLE~+CLOUD ThreadsPerCore=1
   Partitions=spot\x20
"""


def seen(*captures):
    return Seen(Evidence("n", {c.source: c for c in captures}))


def answered(reading, text, code=0, stderr=""):
    return seen(Capture(reading.source, text.encode(), exit_code=code, stderr=stderr))


def parsed(text, name=""):
    return parse(text.encode(), catalogue().probes, name=name)


def facts(text):
    found = parsed(text)
    assert not found.unknown
    return [fact for result in found.results for fact in result.facts]


def test_nodes_in_paragraphs():
    drained, cloud = facts(MULTI)
    assert drained == SlurmNode(
        "gpu-007",
        "IDLE",
        ("DRAIN", "NOT_RESPONDING"),
        reason="NHC: check_hw State=bad temp=93",
        reason_by="root",
        reason_at="2026-02-03T04:05:06",
        gres="gpu:h200:4(S:0),gpu:h200:4(S:1),shard:64",
        gpus=8,
        gpus_used=0,
        cpus=192,
        cpus_allocated=0,
        cpu_load=0.02,
        memory_mib=2000000,
        memory_allocated_mib=0,
        memory_free_mib=1990000,
        sockets=2,
        cores_per_socket=48,
        threads_per_core=2,
        partitions=("main", "debug"),
        features=("h200", "rack7"),
        hostname="gpu-007",
        address="10.0.0.7",
        version="24.11.5",
        os="Linux 6.8.0-71-generic #71~22.04-Ubuntu SMP PREEMPT_DYNAMIC Tue Jul 1",
        boot_time="2026-01-02T03:04:05",
        slurmd_start="2026-01-02T03:06:07",
    )
    assert (cloud.words, cloud.gpus) == ("IDLE+POWERED_DOWN+CLOUD", 0)


def test_nodes_on_one_line_each():
    lines = "".join(
        NODE.format(name=f"n{n}", used=0, memory=0, tres="", state=state)
        for n, state in enumerate(("IDLE", "DOWN*+DRAIN", "MIXED-", "RESERVED$+WARP"))
    )
    found = list(slurm_nodes.nodes(answered(slurm_nodes.NODES, lines)))
    assert [node.words for node in found] == [
        "IDLE",
        "DOWN+NOT_RESPONDING+DRAIN",
        "MIXED+PLANNED",
        "RESERVED+MAINTENANCE+WARP",
    ]
    assert {node.gpus for node in found} == {8}


def test_a_cut_list_of_nodes_keeps_its_nodes_and_says_so():
    lines = NODE.format(name="n1", used=0, memory=0, tres="", state="IDLE")
    for end in (len(lines) // 2, -1, -2, len(lines) + 5):
        found = []
        with pytest.raises(Unread, match="cut short"):
            found.extend(slurm_nodes.nodes(answered(slurm_nodes.NODES, (lines * 2)[:end])))


def test_the_controller_does_not_answer():
    message = "slurm_load_node error: Unable to contact slurm controller (connect failure)\n"
    with pytest.raises(Unread, match="Unable to contact slurm controller"):
        list(slurm_nodes.nodes(answered(slurm_nodes.NODES, "", 1, message)))
    assert "Unable to contact slurm controller" in parsed(message).unknown
    with pytest.raises(Unread, match="Unable to contact"):
        list(slurm_config.config(answered(slurm_config.CONFIG, message.replace("_node", ""))))


def test_without_slurm_there_is_nothing_and_on_other_nodes_it_is_not_asked():
    for probe, reading in (
        (slurm_nodes.nodes, slurm_nodes.NODES),
        (slurm_nodes.topology, slurm_nodes.TOPOLOGY),
        (slurm_config.config, slurm_config.CONFIG),
        (slurm_partitions.partitions, slurm_partitions.PARTITIONS),
    ):
        gone = seen(Capture(reading.source, status=Status.ABSENT))
        assert list(probe(gone)) == []
        assert list(probe(seen())) == []
        with pytest.raises(Unread) as late:
            list(probe(seen(Capture(reading.source, status=Status.TIMEOUT))))
        assert not isinstance(late.value, NotAsked)


def test_no_nodes_in_the_system_is_an_answer():
    assert list(slurm_nodes.nodes(answered(slurm_nodes.NODES, "No nodes in the system\n"))) == []


def test_a_large_cluster_is_read_in_seconds():
    text = "".join(
        NODE.format(name=f"n{n:05}", used=0, memory=0, tres="", state="IDLE") for n in range(2500)
    )
    started = time.process_time()
    assert len(list(slurm_nodes.nodes(answered(slurm_nodes.NODES, text)))) == 2500
    assert time.process_time() - started < 5


CONFIG = """\
Configuration data as of 2026-03-04T10:12:31
AuthType                = auth/munge
BOOT_TIME               = 2026-02-20T08:35:11
JobDefaults             = DefCpuPerGPU=8,DefMemPerGPU=65536
PriorityFlags           =\x20
Prolog[0]               = /etc/slurm/prolog
SlurmctldHost[0]        = head-001(10.0.0.1)
TaskPluginParam         = (null type)
TopologyPlugin          = (null)

Cgroup Support Configuration:
ConstrainDevices        = no

Slurmctld(primary) at head-001 is UP
Slurmctld(backup1) at head-002 is DOWN
"""


def test_config():
    found = facts(CONFIG.replace("\n", "\r\n"))
    assert found == [
        SlurmSetting("AuthType", "auth/munge"),
        SlurmSetting("BOOT_TIME", "2026-02-20T08:35:11"),
        SlurmSetting("JobDefaults", "DefCpuPerGPU=8,DefMemPerGPU=65536"),
        SlurmSetting("PriorityFlags", ""),
        SlurmSetting("Prolog[0]", "/etc/slurm/prolog"),
        SlurmSetting("SlurmctldHost[0]", "head-001(10.0.0.1)"),
        SlurmSetting("TaskPluginParam", ""),
        SlurmSetting("TopologyPlugin", ""),
        SlurmSetting("ConstrainDevices", "no", "cgroup"),
        SlurmController("primary", "head-001", "UP"),
        SlurmController("backup1", "head-002", "DOWN"),
    ]


def test_half_a_value_at_the_end_is_not_a_setting():
    cut = CONFIG[: CONFIG.index("auth/munge") + 6]
    with pytest.raises(Unread):
        list(slurm_config.config(answered(slurm_config.CONFIG, cut)))


def test_partitions_in_paragraphs_and_lines():
    paragraphs = """\
PartitionName=gpu
   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
   AllocNodes=ALL Default=YES QoS=N/A
   DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO
   MaxNodes=4 MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED
   Nodes=gpu-[001-004]
   PriorityJobFactor=1 PriorityTier=10 RootOnly=NO ReqResv=NO OverSubscribe=EXCLUSIVE
   OverTimeLimit=NONE PreemptMode=OFF
   State=DRAIN TotalCPUs=768 TotalNodes=4 SelectTypeParameters=NONE
   JobDefaults=DefCpuPerGPU=24
   DefMemPerCPU=4096 MaxMemPerNode=UNLIMITED
   TRES=cpu=768,mem=8000000M,node=4,billing=768,gres/gpu=32,gres/gpu:h200=32

"""
    (found,) = facts(paragraphs)
    assert found == SlurmPartition(
        "gpu",
        "DRAIN",
        nodes="gpu-[001-004]",
        total_nodes=4,
        total_cpus=768,
        default=True,
        max_time=float("inf"),
        max_nodes=4,
        oversubscribe="EXCLUSIVE",
        tres="cpu=768,mem=8000000M,node=4,billing=768,gres/gpu=32,gres/gpu:h200=32",
        gpus=32,
        priority_tier=10,
        hidden=False,
        defaults="DefCpuPerGPU=24",
        memory_per_cpu="4096",
    )
    (line,) = facts(" ".join(paragraphs.split()) + "\n")
    assert line == found


def test_topology_of_switches_and_blocks():
    text = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-4]\nSwitchName=s1 Level=1 Switches=s0\n"
    assert facts(text) == [
        SlurmSwitch("switch", "s0", 0, "n[1-4]"),
        SlurmSwitch("switch", "s1", 1, "", "s0"),
    ]
    (block,) = facts("BlockName=b1 BlockIndex=0 Nodes=n[1-18] BlockSize=18\n")
    assert block == SlurmSwitch("block", "b1", None, "n[1-18]")
    flat = answered(slurm_nodes.TOPOLOGY, "", 1, "No topology information available\n")
    assert list(slurm_nodes.topology(flat)) == []
    with pytest.raises(Unread):
        list(slurm_nodes.topology(answered(slurm_nodes.TOPOLOGY, "", 1, "it failed\n")))


def test_jobs():
    text = """\
JobId=77 ArrayJobId=70 ArrayTaskId=7 JobName=pretrain
   UserId=ada(1001) GroupId=ml(2001) MCS_label=N/A
   Priority=4294901755 Nice=0 Account=ml QOS=high
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts=2 BatchFlag=1 Reboot=0 ExitCode=0:15
   RunTime=1-02:03:04 TimeLimit=UNLIMITED TimeMin=N/A
   SubmitTime=2026-02-01T00:00:00 EligibleTime=2026-02-01T00:00:00
   StartTime=2026-02-01T00:00:10 EndTime=Unknown Deadline=N/A
   Partition=main AllocNode:Sid=head-001:4242
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=gpu-[001-002]
   NumNodes=2 NumCPUs=448 NumTasks=16 CPUs/Task=28 ReqB:S:C:T=0:0:*:*
   TRES=cpu=448,mem=4000G,node=2,billing=448,gres/gpu=16
"""
    (job,) = facts(text)
    assert job == SlurmJob(
        "70_7",
        "RUNNING",
        name="pretrain",
        user="ada",
        account="ml",
        partition="main",
        qos="high",
        nodes=2,
        node_list="gpu-[001-002]",
        cpus=448,
        gpus=16,
        tasks=16,
        priority=4294901755,
        time_limit=float("inf"),
        run_time=93784,
        submitted="2026-02-01T00:00:00",
        started="2026-02-01T00:00:10",
        exit_code="0:15",
        restarts=2,
        tres="cpu=448,mem=4000G,node=2,billing=448,gres/gpu=16",
    )


def test_hostname():
    source = hostname.HOSTNAME.source
    entry = b"== /proc/sys/kernel/hostname answered 8\ngpu-001\n\n"
    assert list(hostname.hostname(seen(Capture(source, entry)))) == [Hostname("gpu-001")]
    bad = b"== /proc/sys/kernel/hostname answered 6\n<b>x\n\n\n"
    with pytest.raises(Unread):
        list(hostname.hostname(seen(Capture(source, bad))))
    assert Hostname("gpu-1.example.com").short == "gpu-1"
