"""How GPUs reach each other and the network: the matrices of `nvidia-smi topo`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.kit.probe import probe
from assay.kit.reading import command, saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.device import DeviceAffinity, PeerPath
from assay.model.facts.nvidia import NicPath, PeerAccess
from assay.probes.nvidia_words import NO_DEVICES, VENDOR, errors, no_devices
from assay.probes.pasted import clean, count, tried

_CELL = r"(?:X|NV\d{1,3}|SYS|NODE|PHB|PXB|PXN|PIX|PSB|SOC|C2C)"
_ACCESS = r"(?:X|OK|CNS|GNS|TNS|NS|DR|U)"
MATRIX = command(
    "nvidia-smi",
    "topo",
    "-m",
    name="nvidia-smi.topo",
    deadline=15.0,
    looks_like=rf"^[ \t]*GPU\d+[ \t]+{_CELL}(?:[ \t]+{_CELL})*[^\n]*",
)
ACCESS = saved(
    "nvidia-smi.p2p",
    looks_like=rf"^[ \t]*GPU\d+(?:[ \t]+{_ACCESS})+[ \t]*$|^[^\n]*nvidia-smi topo -p2p[^\n]*$",
)

_COLUMN = re.compile(r"[A-Za-z][\w.-]*")
_GPU = re.compile(r"GPU(\d{1,4})")
_JOINED = re.compile(r"((?:GPU|NIC)\d+)(?=(?:GPU|NIC)\d)")
_LEGEND = re.compile(r"\s*(NIC\d+) *[:=] *(\S+)\s*")
_CPUS = re.compile(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*")
_TAIL = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID", "Memory Affinity")
_KINDS = {"SYS": "sys", "SOC": "sys", "NODE": "node", "PHB": "phb", "PXB": "pxb", "PXN": "pxn",
          "PIX": "pix", "PSB": "pix", "C2C": "c2c"}  # fmt: skip


@dataclass(slots=True)
class _Matrix:
    """The cells of each row, under the labels of the columns. Bits of *tail* follow the cells."""

    columns: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    rows: list[tuple[str, list[str], list[str]]] = field(default_factory=list)

    def cells(self, row: list[str]) -> dict[str, str]:
        """Cells by column. Labels that ran together count as the columns that they were."""
        apart = [name for label in self.columns for name in _JOINED.sub(r"\1 ", label).split()]
        for columns in (apart, self.columns):
            if len(columns) == len(row):
                return dict(zip(columns, row, strict=True))
        raise Unread(f"a row of the topology has {len(row)} cells under {len(apart)} columns")


@probe("nvidia.topology", reads=[MATRIX])
def topology(seen: Seen) -> Iterator[PeerPath | NicPath | DeviceAffinity]:
    """Paths between GPUs and to adapters, and the CPUs near each GPU."""
    if tried(seen, MATRIX) is None:
        return
    text = clean(seen.text(MATRIX, exits=(0, NO_DEVICES)))
    matrix = _read(text, re.compile(_CELL))
    names = {m.group(1): m.group(2) for m in map(_LEGEND.fullmatch, text.split("\n")) if m}
    found = 0
    for label, cells, rest in matrix.rows:
        gpu = _GPU.fullmatch(label)
        if gpu:
            found += 1
            index = int(gpu.group(1))
            yield from _paths(index, matrix.cells(cells), names)
            yield from _affinity(index, matrix.tail, rest)
    if not found and not no_devices(text):
        told = next((error.message for error in errors(text)), "")
        raise Unread(told or "`nvidia-smi topo -m` shows no GPU")


def _paths(
    index: int, cells: dict[str, str], names: dict[str, str]
) -> Iterator[PeerPath | NicPath]:
    for label, cell in cells.items():
        gpu = _GPU.fullmatch(label)
        if gpu and cell.startswith("NV"):
            yield PeerPath(VENDOR, index, int(gpu.group(1)), "nvlink", None, int(cell[2:]))
        elif gpu and cell != "X":
            yield PeerPath(VENDOR, index, int(gpu.group(1)), _KINDS[cell])
        elif not gpu and cell in _KINDS and not _JOINED.search(label):
            yield NicPath(index, names.get(label, label), _KINDS[cell])


def _affinity(index: int, tail: list[str], rest: list[str]) -> Iterator[DeviceAffinity]:
    """The columns after the cells; "GPU NUMA ID" is the GPU's own memory, not a CPU's node."""
    values = dict(zip(tail, rest, strict=True)) if len(tail) == len(rest) else {}
    cpus, node = values.get("CPU Affinity", ""), values.get("NUMA Affinity", "")
    near = cpus if _CPUS.fullmatch(cpus) else ""
    numa = count(node) if node.isdecimal() else None
    if near or numa is not None:
        yield DeviceAffinity(VENDOR, index, numa, near)


@probe("nvidia.peer-access", reads=[ACCESS])
def access(seen: Seen) -> Iterator[PeerAccess]:
    """What GPUs may do with each other's memory, from `nvidia-smi topo -p2p`."""
    if tried(seen, ACCESS) is None:
        return
    text = clean(seen.text(ACCESS))
    asked = re.search(r"topo -p2p +([rwnap])\b", text)
    matrix = _read(text, re.compile(_ACCESS))
    found = 0
    for label, cells, _ in matrix.rows:
        gpu = _GPU.fullmatch(label)
        for other, status in matrix.cells(cells).items() if gpu else ():
            peer = _GPU.fullmatch(other)
            if gpu and peer and status != "X":
                found += 1
                yield PeerAccess(
                    int(gpu.group(1)), int(peer.group(1)), asked.group(1) if asked else "", status
                )
    if not found:
        raise Unread("`nvidia-smi topo -p2p` shows no pair of GPUs")


def _read(text: str, cell: re.Pattern[str]) -> _Matrix:
    """The first matrix of *text*. A heading may be wrapped; tabs may leave a cell empty."""
    matrix = _Matrix()
    for line in text.split("\n"):
        words = line.split()
        if not words:
            if matrix.rows:
                break
            continue
        taken = next(
            (at for at, w in enumerate(words[1:]) if not cell.fullmatch(w)), len(words) - 1
        )
        if matrix.columns and taken and _COLUMN.fullmatch(words[0]):
            matrix.rows.append((words[0], words[1 : 1 + taken], words[1 + taken :]))
        elif not matrix.rows:
            _heading(matrix, line)
    return matrix


def _heading(matrix: _Matrix, line: str) -> None:
    rest, tail = line, []
    for name in _TAIL:
        if name in rest:
            tail.append((line.index(name), name))
            rest = rest.replace(name, " ")
    words = rest.split()
    starts = bool(words) and (matrix.columns or _GPU.match(words[0]))
    if starts and all(_COLUMN.fullmatch(word) for word in words):
        matrix.columns += words
        matrix.tail += [name for _, name in sorted(tail)]
