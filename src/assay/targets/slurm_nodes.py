"""What the controller says about nodes, partitions and devices, and who can be asked. No I/O."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.targets.slurm_names import expand

# State flags under which a node takes jobs, of Slurm 20.11 to 25.11 (slurm/slurm.h, node_states)
_NO_MATTER = frozenset(
    {"CLOUD", "COMPLETING", "DYNAMIC_NORM", "DYNAMIC_FUTURE", "PERFCTRS", "NPC", "PLANNED"}
)
_POWER = {"POWERED_DOWN", "POWER_DOWN", "POWERING_DOWN", "POWERING_UP", "POWER_UP"}
# Marks at the end of a state, as sinfo and Slurm before 21.08 write some flags
_MARKS = {
    "*": "NOT_RESPONDING",
    "~": "POWERED_DOWN",
    "#": "POWERING_UP",
    "%": "POWERING_DOWN",
    "!": "POWER_DOWN",
    "$": "MAINT",
    "@": "REBOOT_REQUESTED",
    "^": "REBOOT_ISSUED",
    "-": "PLANNED",
}
_SPECIAL = {
    "NOT_RESPONDING": "does not respond to the controller",
    "FAIL": "taken out of service",
    "MAINT": "in maintenance",
    "REBOOT_ISSUED": "rebooting",
    "REBOOT_REQUESTED": "waits for its reboot",
    "INVALID_REG": "its slurmd registered with less than is configured",
    "BLOCKED": "blocked by a topology constraint",
}

# Tools that open an accelerator's device file themselves; where a job has none they say that
# there is none. (dcgmi is not among them: it asks a service.)
DEVICE_TOOLS = frozenset(
    {"nvidia-smi", "amd-smi", "rocm-smi", "hl-smi", "npu-smi", "neuron-ls", "hy-smi", "mx-smi"}
)


@dataclass(frozen=True, slots=True)
class Node:
    """One node as the controller knows it. Memory in MiB; ``states`` are its words, upper case."""

    name: str
    states: tuple[str, ...]
    reason: str = ""
    partitions: tuple[str, ...] = ()
    cpus: int = 0
    cpus_used: int = 0
    memory: int = 0
    memory_used: int = 0
    gpus: int = 0
    gpus_used: int = 0

    @property
    def word(self) -> str:
        """Its state in Slurm's own words."""
        return "+".join(self.states).lower()

    @property
    def completing(self) -> bool:
        """Another job is just leaving it."""
        return "COMPLETING" in self.states

    def closed(self, reservation: str = "") -> str:
        """Why it takes no job at all, or nothing."""
        why = self._closed(reservation)
        return f"{why}: {self.reason}" if why and self.reason else why

    def _closed(self, reservation: str) -> str:
        base, flags = self.states[0], set(self.states[1:]) - _NO_MATTER
        special = [sentence for flag, sentence in _SPECIAL.items() if flag in flags]
        if base == "DOWN":
            why = "down"
        elif "DRAIN" in flags or base in ("DRAINED", "DRAINING"):
            why = "draining" if self.cpus_used else "drained"
        elif special:
            why = special[0]
        elif flags & _POWER:
            why = "powered down or starting: a job would start it, so it was not asked"
        elif "RESERVED" in flags and not reservation:
            why = "reserved"
        elif base not in ("IDLE", "MIXED", "ALLOCATED") or flags - {"RESERVED"}:
            why = f"in a state in which Assay asks no node ({self.word})"
        else:
            why = ""
        return why

    def full(self, memory: int, gpus: int, *, whole: bool) -> str:
        """Why one more job of one CPU, *memory* MiB and *gpus* GPUs does not fit, or nothing."""
        if whole and self.cpus_used:
            return "busy: its partition gives whole nodes only, and a job has it"
        if self.states[0] == "ALLOCATED" or (self.cpus and self.cpus_used >= self.cpus):
            return f"busy: {self.cpus_used} of {self.cpus} CPUs are allocated"
        if self.memory_used and self.memory - self.memory_used < memory:
            return f"busy: {self.memory_used} of {self.memory} MiB of memory are allocated"
        if gpus > self.gpus:
            return f"has {self.gpus} GPUs, {gpus} were asked for"
        if gpus > self.gpus - self.gpus_used:
            return f"busy: {self.gpus_used} of {self.gpus} GPUs are allocated"
        return ""


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition as the controller knows it."""

    name: str
    up: bool
    default: bool = False
    root_only: bool = False
    reservation_only: bool = False
    whole_nodes: bool = False
    tier: int = 1
    most_nodes: int | None = None


def _field(line: str, name: str) -> str:
    found = re.search(rf"(?:^|\s){name}=(\S*)", line)
    return "" if not found or found[1] in ("(null)", "N/A", "n/a") else found[1]


def _number(line: str, *names: str) -> int:
    for name in names:
        found = re.match(r"[0-9]+", _field(line, name))
        if found:
            return int(found[0])
    return 0


def _gpus(gres: str) -> int:
    """GPUs of a ``gpu:h100:8(S:0-1),gpu:a30:2,nic:1``."""
    flat = re.sub(r"\([^()]*\)", "", gres)
    counts = re.findall(r"(?:^|,)gpu(?::[^:,]*[^:,0-9][^:,]*)?(?::([0-9]{1,9}))?(?=,|$)", flat)
    return sum(int(count or 1) for count in counts)


def nodes(text: str) -> list[Node]:
    """Understand ``scontrol show node -o -d``."""
    return [_node(line) for line in text.splitlines() if line.startswith("NodeName=")]


def _node(line: str) -> Node:
    # free text of administrators comes last and is not searched for anything else
    head, _, tail = line.partition(" Reason=")
    head = re.split(r"\s(?:Comment|Extra)=", head)[0]
    said = _field(head, "State").upper()
    states = re.sub(f"[{re.escape(''.join(_MARKS))}]", "", said).split("+")
    states += [flag for mark, flag in _MARKS.items() if mark in said]
    return Node(
        name=_field(head, "NodeName"),
        states=tuple(states),
        reason=_reason(tail),
        partitions=tuple(filter(None, _field(head, "Partitions").split(","))),
        cpus=_number(head, "CPUEfctv", "CPUTot"),
        cpus_used=_number(head, "CPUAlloc"),
        memory=_number(head, "RealMemory"),
        memory_used=_number(head, "AllocMem"),
        gpus=_gpus(_field(head, "Gres")),
        gpus_used=_gpus(_field(head, "GresUsed")),
    )


def _reason(tail: str) -> str:
    """Why an administrator or a program took it out, who, and when."""
    text = re.split(r"\s(?:Comment|Extra|ResumeAfterTime)=", tail)[0].strip()
    found = re.fullmatch(r"(.*?)\s*\[([^\[\]@\s]*)@([^\[\]\s]*)\]", text)
    return f"{found[1]} ({found[2]}, {found[3]})" if found else text


def partitions(text: str) -> list[Partition]:
    """Understand ``scontrol show partition -o``."""
    return [
        Partition(
            name=_field(line, "PartitionName"),
            up=_field(line, "State") == "UP",
            default=_field(line, "Default") == "YES",
            root_only=_field(line, "RootOnly") == "YES",
            reservation_only=_field(line, "ReqResv") == "YES",
            whole_nodes=_field(line, "OverSubscribe") == "EXCLUSIVE",
            tier=_number(line, "PriorityTier"),
            most_nodes=_limit(_field(line, "MaxNodes")),
        )
        for line in text.splitlines()
        if line.startswith("PartitionName=")
    ]


def _limit(word: str) -> int | None:
    return int(word) if re.fullmatch("[0-9]{1,9}", word) else None


def choose(
    found: Sequence[Partition], asked: Iterable[Node], *, root: bool, reservation: str = ""
) -> Partition | None:
    """The partition with most of the nodes *asked*; of equals the default, then the humblest."""
    count: dict[str, int] = {}
    for node in asked:
        for name in node.partitions:
            count[name] = count.get(name, 0) + 1
    usable = [
        p
        for p in found
        if p.up
        and count.get(p.name)
        and (root or not p.root_only)
        and (reservation or not p.reservation_only)
        and p.most_nodes != 0
    ]
    return min(usable, key=lambda p: (-_reach(p, count), not p.default, p.tier), default=None)


def _reach(partition: Partition, count: Mapping[str, int]) -> int:
    members = count[partition.name]
    return members if partition.most_nodes is None else min(members, partition.most_nodes)


def devices_isolated(config: str) -> bool:
    """Does ``scontrol show config`` say that jobs can open only devices of their own?

    What it does not say is taken as yes: a GPU that is hidden must not look like a lost one.
    """
    plugin = re.search(r"^TaskPlugin\s*=\s*(\S+)", config, re.MULTILINE)
    if plugin and "cgroup" not in plugin[1]:
        return False
    constrain = re.search(r"^ConstrainDevices\s*=\s*(\S+)", config, re.MULTILINE)
    return constrain is None or constrain[1].lower() not in ("no", "false")


def configured(conf: str) -> list[str]:
    """The names of the nodes in a ``slurm.conf``, for when the controller does not answer."""
    found: list[str] = []
    for line in _joined(conf):
        words = re.match(r"(?i)\s*NodeName\s*=\s*(\S+)", line)
        if words and words[1].upper() != "DEFAULT":
            try:
                found += expand(words[1])
            except ValueError:
                continue
    return list(dict.fromkeys(found))


def _joined(conf: str) -> Iterator[str]:
    for line in re.sub(r"\\\n", "", conf).splitlines():
        yield line.partition("#")[0]
