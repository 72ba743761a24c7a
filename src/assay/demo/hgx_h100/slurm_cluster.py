"""What the Slurm controller of the H100 cluster answers; this node is its gpu-001."""

from collections.abc import Iterator

from assay.demo.hosts import answer, pack
from assay.model.evidence import Capture
from assay.probes import hostname, slurm_config, slurm_nodes, slurm_partitions

CLUSTER = 8  # nodes
CONFIG = """\
Configuration data as of 2026-03-04T10:12:31
AccountingStorageBackupHost = (null)
AccountingStorageEnforce = associations,limits,qos
AccountingStorageHost   = head-001
AccountingStorageTRES   = cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu
AccountingStorageType   = accounting_storage/slurmdbd
AuthAltTypes            = auth/jwt
AuthType                = auth/munge
BatchStartTimeout       = 60 sec
ClusterName             = h100
CommunicationParameters = (null)
CredType                = auth/munge
DefMemPerNode           = UNLIMITED
Epilog[0]               = /etc/slurm/epilog.d/50-clean
GresTypes               = gpu
HealthCheckInterval     = 300 sec
HealthCheckNodeState    = ANY,CYCLE
HealthCheckProgram      = /usr/sbin/nhc
JobAcctGatherFrequency  = 30
JobAcctGatherType       = jobacct_gather/cgroup
JobContainerType        = (null)
JobDefaults             = DefCpuPerGPU=24,DefMemPerGPU=245760
MessageTimeout          = 60 sec
MpiDefault              = pmix
PrologEpilogTimeout     = 65534
PrologFlags             = Alloc,Contain
Prolog[0]               = /etc/slurm/prolog.d/50-check
ProctrackType           = proctrack/cgroup
RebootProgram           = /usr/sbin/reboot
ResumeTimeout           = 600 sec
ReturnToService         = 1
SchedulerType           = sched/backfill
SelectType              = select/cons_tres
SelectTypeParameters    = CR_CORE_MEMORY
SlurmUser               = slurm(64030)
SlurmctldHost[0]        = head-001
SlurmctldHost[1]        = head-002
SlurmctldParameters     = (null)
SlurmctldTimeout        = 120 sec
SlurmdParameters        = (null)
SlurmdTimeout           = 300 sec
SlurmdUser              = root(0)
SLURM_CONF              = /etc/slurm/slurm.conf
SLURM_VERSION           = 25.05.4
SwitchType              = (null)
TaskPlugin              = task/affinity,task/cgroup
TopologyParam           = (null)
TopologyPlugin          = topology/tree
UnkillableStepProgram   = (null)
UnkillableStepTimeout   = 300 sec

Cgroup Support Configuration:
AllowedRAMSpace         = 100.0%
CgroupMountpoint        = /sys/fs/cgroup
CgroupPlugin            = autodetect
ConstrainCores          = yes
ConstrainDevices        = yes
ConstrainRAMSpace       = yes
ConstrainSwapSpace      = no

MPI Plugins Configuration:
PMIxDirectConn          = yes
PMIxTimeout             = 300

Slurmctld(primary) at head-001 is UP
Slurmctld(backup) at head-002 is UP
"""
NODE = (
    "NodeName={name} Arch=x86_64 CoresPerSocket=56 CPUAlloc={used} CPUEfctv=224 CPUTot=224"
    " CPULoad=1.12 AvailableFeatures=h100 ActiveFeatures=h100 Gres=gpu:h100:8(S:0-1)"
    " NodeAddr={name} NodeHostName={name} Version=25.05.4 OS=Linux 5.15.0-1064-nvidia"
    " #65-Ubuntu SMP Fri Aug 9 12:00:09 UTC 2024 RealMemory=2063000 AllocMem={memory}"
    " FreeMem=1990211 Sockets=2 Boards=1 State={state} ThreadsPerCore=2 TmpDisk=0 Weight=1"
    " Owner=N/A MCS_label=N/A Partitions=main BootTime=2026-02-20T08:35:11"
    " SlurmdStartTime=2026-02-20T08:37:02 LastBusyTime=2026-03-04T10:11:58 ResumeAfterTime=None"
    " CfgTRES=cpu=224,mem=2063000M,billing=224,gres/gpu=8 AllocTRES={tres}"
    " CurrentWatts=0 AveWatts=0 \n"
)
PARTITION = (
    "PartitionName=main AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL Default=YES"
    " QoS=N/A DefaultTime=01:00:00 DisableRootJobs=NO ExclusiveUser=NO ExclusiveTopo=NO"
    " GraceTime=0 Hidden=NO MaxNodes=UNLIMITED MaxTime=7-00:00:00 MinNodes=0 LLN=NO"
    " MaxCPUsPerNode=UNLIMITED MaxCPUsPerSocket=UNLIMITED Nodes=gpu-[001-008]"
    " PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO"
    " OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=1792 TotalNodes=8"
    " SelectTypeParameters=NONE JobDefaults=DefCpuPerGPU=24,DefMemPerGPU=245760"
    " DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED"
    " TRES=cpu=1792,mem=16504000M,node=8,billing=1792,gres/gpu=64\n"
)
TOPOLOGY = """\
SwitchName=leaf-01 Level=0 LinkSpeed=1 Nodes=gpu-[001-004]
SwitchName=leaf-02 Level=0 LinkSpeed=1 Nodes=gpu-[005-008]
SwitchName=spine-01 Level=1 LinkSpeed=1 Nodes=gpu-[001-008] Switches=leaf-[01-02]
"""


def captures() -> Iterator[Capture]:
    """The controller's answers, and the name by which it knows this node."""
    yield pack(hostname.HOSTNAME, {"/proc/sys/kernel/hostname": "gpu-001\n"})
    yield answer(slurm_config.CONFIG, CONFIG)
    yield answer(slurm_nodes.NODES, "".join(_node(n) for n in range(1, CLUSTER + 1)))
    yield answer(slurm_nodes.TOPOLOGY, TOPOLOGY)
    yield answer(slurm_partitions.PARTITIONS, PARTITION)


def _node(number: int) -> str:
    busy = number > 2
    tres = "cpu=224,mem=1920G,gres/gpu=8" if busy else ""
    return NODE.format(
        name=f"gpu-{number:03}",
        state="ALLOCATED" if busy else "IDLE",
        used=224 if busy else 0,
        memory=1966080 if busy else 0,
        tres=tres,
    )
