"""What sinfo prints, in its default table, with -N -l, and in the formats that people choose."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.kit.probe import probe
from assay.kit.quantity import integer, number
from assay.kit.reading import saved
from assay.kit.seen import Seen
from assay.model.facts.slurm import SlurmNode, SlurmNodeGroup
from assay.probes.pasted import clean
from assay.probes.slurm_words import gpus, nothing, split_list, state, word

_WORDS = (
    r"alloc(?:ated)?|idle|mix(?:ed)?|down|drain(?:ed|ing)?|drng|comp(?:leting)?|fail(?:ing)?|failg"
    r"|maint|plnd|planned|resv|reserved|unk(?:nown)?|unknown|inval|futr|future|boot|reboot|npc"
    r"|perfctrs|pow_dn|pow_up|powering_down|powering_up|powered_down|power_down|block(?:ed)?|error"
)
_STATE = re.compile(rf"(?:{_WORDS})[*~#!%$@^+-]*", re.IGNORECASE)
_QUAD = re.compile(r"\d+/\d+/\d+/\d+")
_GRES = re.compile(r"\(null\)|N/A|(?:[a-z_]+(?::[\w.-]+)*:\d+(?:\([^()]*\))?,?)+", re.IGNORECASE)
SINFO = saved(
    "sinfo",
    looks_like=r"^(?:PARTITION|NODELIST|HOSTNAMES|CLUSTER|AVAIL)\b[ |][^\n]*"
    r"\b(?:STATE|AVAIL|NODES)\b[^\n]*(?:\n[^\n]*){0,2}"
    rf"|^[A-Za-z][\w.-]*[ |][^\n]*\d+/\d+/\d+/\d+[ |]+(?:{_WORDS})[*~#!%$@^+-]*[ |]*[^\n]*$"
    rf"|^[A-Za-z][\w.-]*[ |][^\n]*\| *(?:{_WORDS})[*~#!%$@^+-]*[ |][^\n]*\d+/\d+/\d+/\d+[^\n]*$"
    rf"|^\S+ +(?:up|down|drain|inact) +\S+ +\d+ +(?:{_WORDS})[*~#!%$@^+-]* +\S+ *$"
    rf"|^[\w.-]+[,|](?:{_WORDS})[*~#!%$@^+-]*$(?:\n[\w.-]+[,|]\S+$){{0,3}}"
    rf"|^(?:{_WORDS})[*~#!%$@^+-]* *\|[^\n]*\d+/\d+/\d+/\d+[^\n]*"
    r"|^[A-Za-z][\w.-]* +gpu:(?:[\w.-]+:)?\d+(?:\([^()\n]*\))?[ \t]*$"
    r"|^REASON +USER +TIMESTAMP +NODELIST[^\n]*\n[^\n]*|^sinfo: (?:error|fatal):[^\n]*",
)
# The names of one column in sinfo's formats (-o, -O, -l).
_NAMES = {
    "partition": "partition", "partitionname": "partition", "avail": "available",
    "nodes(a/i/o/t)": "tally",
    "timelimit": "limit", "nodes": "count", "nodelist": "nodes", "hostnames": "host",
    "nodehost": "host", "nodename": "host", "state": "state", "statecompact": "state",
    "statelong": "state", "statecomplete": "state", "gres": "gres", "gres_used": "used",
    "gresused": "used", "cpus": "cpus", "cpus(a/i/o/t)": "quad", "cpusstate": "quad",
    "memory": "memory", "free_mem": "free", "freemem": "free", "allocmem": "allocated",
    "cpu_load": "load", "cpuload": "load", "reason": "reason", "version": "version",
    "s:c:t": "sct", "node_addr": "address", "nodeaddr": "address", "nodeai": "", "user": "by",
    "avail_fe": "features", "avail_features": "features", "features": "features",
    "timestamp": "at", "reservation": "reservation",
}  # fmt: skip

Row = dict[str, str]


@probe("slurm.sinfo", reads=[SINFO])
def sinfo(seen: Seen) -> Iterator[SlurmNode | SlurmNodeGroup]:
    """Nodes, or groups of nodes that are alike, as sinfo lists them."""
    if seen.capture(SINFO) is None:
        return
    text = clean(seen.text(SINFO))
    lines = [line for line in text.split("\n") if line.strip()]
    found = False
    nodes = dict[SlurmNode, list[str]]()  # the same node is listed once for each partition
    for row in _rows(lines):
        if row.get("host") or _one(row):
            found = True
            node = _node(row)
            nodes.setdefault(node, []).append(_partition(row))
        elif row.get("state") or row.get("nodes"):
            found = True
            yield _group(row)
    for node, partitions in nodes.items():
        names = tuple(dict.fromkeys(name for name in partitions if name))
        yield _with(node, names)
    if not found:
        nothing(text, "sinfo")


def _rows(lines: Sequence[str]) -> Iterator[Row]:
    head: list[str] = []
    starts: list[int] = []
    for line in lines:
        bars = line.count("|") > 1
        cells = [c.strip() for c in line.split("|")] if bars else line.split()
        upper = [c.strip().upper() for c in cells]
        if "STATE" in upper or {"PARTITION", "AVAIL"} <= set(upper) or upper[0] == "REASON":
            head = [c.strip().lower() for c in cells]
            starts = [m.start() for m in re.finditer(r"\S+", line)]
        elif head:
            yield _named(head, cells if bars else _cells(line, len(head), starts, head))
        else:
            commas = "," in line and not bars and "[" not in line
            row = _guessed([c.strip() for c in line.split(",")] if commas else cells)
            if row:
                yield row


def _cells(line: str, wanted: int, starts: Sequence[int], head: Sequence[str]) -> list[str]:
    """Cells between blanks; where there are more than columns, the last one holds blanks."""
    cells = line.split(None, wanted - 1) if head[0] != "reason" else []
    if len(cells) < wanted and starts and len(line) > starts[-1]:
        # an empty cell in the middle: cut where the header's words begin
        bounds = [*starts, len(line) + 1]
        if all(line[a - 1 : a].isspace() for a in starts[1:] if a < len(line)):
            cells = [line[a:b].strip() for a, b in pairwise(bounds)]
    return cells


def _named(head: Sequence[str], cells: Sequence[str]) -> Row:
    row: Row = {}
    for name, cell in zip(head, cells, strict=False):
        key = _NAMES.get(name)
        if key:
            row.setdefault(key, cell.strip())
    return row


def _guessed(cells: Sequence[str]) -> Row:
    """A row without a header (-h): columns told apart by what they hold."""
    if len(cells) == 6 and cells[1] in ("up", "down", "drain", "inact") and cells[3].isdecimal():
        names = ("partition", "available", "limit", "count", "state", "nodes")
        return dict(zip(names, cells, strict=True))
    row: Row = {}
    kinds = [_kind(cell) for cell in cells]
    if kinds == ["name", "number", "number", "quad", "state"]:  # %n, AllocMem, %m, %C, %T
        row["allocated"], row["memory"] = cells[1], cells[2]
    if kinds == ["number", "state"]:
        return {"count": cells[0], "state": cells[1]}
    for kind, cell in zip(kinds, cells, strict=True):
        if kind == "name":
            row.setdefault("partition" if "host" in row else "host", cell)
        elif kind == "gres":
            row["used" if "gres" in row else "gres"] = cell
        elif kind in ("state", "quad"):
            row.setdefault(kind, cell)
    return row if "host" in row and ("state" in row or kinds == ["name", "gres"]) else {}


def _kind(cell: str) -> str:
    if _QUAD.fullmatch(cell):
        return "quad"
    if _STATE.fullmatch(cell):
        return "state"
    if cell.isdecimal():
        return "number"
    if re.match(r"gpu\b|\(null\)", cell) and _GRES.fullmatch(cell):
        return "gres"
    return "name" if re.fullmatch(r"[A-Za-z][\w.*-]*", cell) else ""


def _one(row: Row) -> bool:
    """True for a row of ``sinfo -N`` that names one node."""
    name = row.get("nodes", "")
    single = bool(name) and not re.search(r"[\[,]", name)
    return (
        single and (row.get("count") in ("1", None) or "memory" in row) and "available" not in row
    )


def _partition(row: Row) -> str:
    return row.get("partition", "").rstrip("*")


def _node(row: Row) -> SlurmNode:
    base, flags = state(row.get("state", ""))
    sockets, cores, threads = (*row.get("sct", "").split(":"), "", "", "")[:3]
    allocated, _, _, total = (*row.get("quad", "").split("/"), "", "", "", "")[:4]
    return SlurmNode(
        row.get("host") or row.get("nodes", ""),
        base,
        flags,
        reason=word(row.get("reason")),
        reason_by=re.sub(r"\(\d+\)$", "", word(row.get("by"))) if word(row.get("reason")) else "",
        reason_at=word(row.get("at")) if word(row.get("reason")) else "",
        gres=word(row.get("gres")),
        gres_used=word(row.get("used")),
        gpus=gpus(row.get("gres")),
        gpus_used=gpus(row.get("used")),
        cpus=integer(total) if total else integer(row.get("cpus")),
        cpus_allocated=integer(allocated),
        cpu_load=number(row.get("load")),
        memory_mib=integer(row.get("memory", "").rstrip("+")),
        memory_allocated_mib=integer(row.get("allocated")),
        memory_free_mib=integer(row.get("free")),
        sockets=integer(sockets),
        cores_per_socket=integer(cores),
        threads_per_core=integer(threads),
        features=tuple(split_list(word(row.get("features")))),
        address=word(row.get("address")),
        version=word(row.get("version")),
        reservation=word(row.get("reservation")),
    )


def _with(node: SlurmNode, partitions: tuple[str, ...]) -> SlurmNode:
    values = {name: getattr(node, name) for name in node.__dataclass_fields__}
    return SlurmNode(**{**values, "partitions": partitions})


def _group(row: Row) -> SlurmNodeGroup:
    base, flags = state(row.get("state", ""))
    partition = row.get("partition", "")
    count = row.get("count") or row.get("tally", "").rpartition("/")[2]
    return SlurmNodeGroup(
        partition.rstrip("*"),
        base,
        integer(count),
        nodes=word(row.get("nodes")),
        flags=flags,
        available=row.get("available", ""),
        time_limit=row.get("limit", ""),
        reason=word(row.get("reason")),
        default=partition.endswith("*") if partition else None,
    )
