"""Nodes and topology as Slurm's controller sees them: ``scontrol show node`` and ``topology``."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.probe import probe
from assay.kit.quantity import integer, number
from assay.kit.reading import Service, command
from assay.kit.seen import Seen, Unread
from assay.model.facts.slurm import SlurmNode, SlurmSwitch
from assay.probes.pasted import clean, tried
from assay.probes.slurm_words import gpus, nothing, split_list, stamp, state, word

NODES = command(
    "scontrol",
    "show",
    "node",
    "-o",
    name="slurm.nodes",
    deadline=60.0,
    cap=32 << 20,  # some 1.2 KiB a node: 12,500 nodes are 15 MB
    service=Service.SLURM,
    looks_like=r"^[^\n]{0,80}?\bNodeName=\S+[^\n]*?(?:\n[ \t]+[^\n]*?)?\bCPU(?:Alloc|Tot|Efctv)="
    r"[^\n]*(?:\n[ \t]+[^\n]*){0,8}|^slurm_load_node[^\n]*error[^\n]*",
)
TOPOLOGY = command(
    "scontrol",
    "show",
    "topology",
    name="slurm.topology",
    deadline=20.0,
    cap=16 << 20,
    service=Service.SLURM,
    looks_like=r"^(?:SwitchName=\S+ Level=|BlockName=\S+ (?:BlockIndex|Nodes)=)[^\n]*",
)

_RECORD = re.compile(r"\bNodeName=(?=\S)")
_KEYS = (
    "NodeName|Arch|CoresPerSocket|CPUAlloc|CPUEfctv|CPUErr|CPUTot|CPULoad|AvailableFeatures"
    "|ActiveFeatures|Features|Gres|GresDrain|GresUsed|NodeAddr|NodeHostName|Version|Port|OS"
    "|BcastAddr|RealMemory|AllocMem|FreeMem|Sockets|Boards|CoreSpecCount|CPUSpecList|MemSpecLimit"
    "|SocketsPerBoard|ResCoresPerGPU|GpuSpec|State|ThreadsPerCore|TmpDisk|Weight|Owner|MCS_label"
    "|NextState|Partitions|BootTime|SlurmdStartTime|LastBusyTime|ResumeAfterTime|CfgTRES|AllocTRES"
    "|CapWatts|CurrentWatts|LowestJoules|ConsumedJoules|AveWatts|ExtSensorsJoules|ExtSensorsWatts"
    "|ExtSensorsTemp|Energy|Topology|Parameters|CertFlags|Reason|Comment|Extra|InstanceId"
    "|InstanceType|ReservationName|DynamicNorm"
)
# Values may hold blanks and equal signs (OS, Reason, Comment): only a known key ends one.
_PAIR = re.compile(rf"(?:^|\s)({_KEYS})=(.*?)(?=\s+(?:{_KEYS})=|\s*$)", re.DOTALL)
_END = re.compile(r"\n[ \t]*\n(?=\S)")  # Reason comes after an empty line, indented
# A reason is anything at all, up to who gave it and when.
_REASON = re.compile(r"\sReason=([^\n]{0,1000}?) ?\[([^\[\]@\s]+)@([^\[\]\s]+)\](?=\s|$)")
_SWITCH = re.compile(r"\b(Switch|Block)Name=(\S+)(?:[ \t]+([^\n]*))?")
_FLAT = re.compile(r"No topology information available", re.IGNORECASE)


@probe("slurm.nodes", reads=[NODES])
def nodes(seen: Seen) -> Iterator[SlurmNode]:
    """Nodes of the Slurm cluster with their states, reasons, GRES and memory."""
    if tried(seen, NODES) is None:
        return
    text = clean(seen.text(NODES))
    starts = [found.start() for found in _RECORD.finditer(text)]
    if not starts:
        nothing(text, "`scontrol show node`")
        return
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        fields = dict[str, str]()
        record = _END.split(text[start:end], maxsplit=1)[0]
        signed = _REASON.search(record)
        if signed is not None:
            record = record[: signed.start()] + record[signed.end() :]
        for key, value in _PAIR.findall(record):
            fields.setdefault(key, value.strip())
        if "State" in fields:
            yield _node(
                fields, *(signed.groups() if signed else (fields.get("Reason", ""), "", ""))
            )
        elif end == len(text):
            raise Unread("`scontrol show node` is cut short")
    one_line = " State=" in text[starts[0] :].partition("\n")[0]
    if one_line and not text.endswith("\n"):
        raise Unread("`scontrol show node -o` is cut short")


def _node(fields: Mapping[str, str], reason: str, by: str, at: str) -> SlurmNode:
    base, flags = state(fields["State"])
    gres = fields.get("Gres")
    return SlurmNode(
        fields["NodeName"],
        base,
        flags,
        reason=word(reason),
        reason_by=by,
        reason_at=at,
        gres=word(gres),
        gres_used=word(fields.get("GresUsed")),
        gpus=gpus(gres),
        gpus_used=gpus(fields.get("GresUsed") or fields.get("AllocTRES")),
        cpus=integer(fields.get("CPUTot")),
        cpus_allocated=integer(fields.get("CPUAlloc")),
        cpu_load=number(fields.get("CPULoad")),
        memory_mib=integer(fields.get("RealMemory")),
        memory_allocated_mib=integer(fields.get("AllocMem")),
        memory_free_mib=integer(fields.get("FreeMem")),
        sockets=integer(fields.get("Sockets")),
        cores_per_socket=integer(fields.get("CoresPerSocket")),
        threads_per_core=integer(fields.get("ThreadsPerCore")),
        partitions=tuple(split_list(word(fields.get("Partitions")))),
        features=tuple(split_list(word(fields.get("AvailableFeatures", fields.get("Features"))))),
        hostname=word(fields.get("NodeHostName")),
        address=word(fields.get("NodeAddr")),
        version=word(fields.get("Version")),
        os=word(fields.get("OS")),
        boot_time=stamp(fields.get("BootTime")),
        slurmd_start=stamp(fields.get("SlurmdStartTime")),
        reservation=word(fields.get("ReservationName")),
    )


@probe("slurm.topology", reads=[TOPOLOGY])
def topology(seen: Seen) -> Iterator[SlurmSwitch]:
    """Switches and blocks by which Slurm places jobs; none where its topology is flat."""
    if tried(seen, TOPOLOGY) is None:
        return
    capture = seen.answered(TOPOLOGY, exits=tuple(range(256)))
    text = clean(capture.data.decode("utf-8", "replace"))
    found = False
    for match in _SWITCH.finditer(text):
        pairs = dict(re.findall(r"(\w+)=(\S*)", match.group(3) or ""))
        found = True
        yield SlurmSwitch(
            match.group(1).lower(),
            match.group(2),
            level=integer(pairs.get("Level")),
            nodes=word(pairs.get("Nodes")),
            switches=word(pairs.get("Switches")),
        )
    if not found and not _FLAT.search(text + capture.stderr):
        seen.text(TOPOLOGY)
        nothing(text, "`scontrol show topology`")
    if found and not text.endswith("\n"):
        raise Unread("`scontrol show topology` is cut short")
