"""amd-smi's tables for people: monitor, topology, xgmi, the default view, help."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.model.facts.accelerator import Accelerator, ScaleUpLink
from assay.model.facts.device import DeviceProcess, PeerPath
from assay.model.facts.software import Software
from assay.probes.amd_links import link_up
from assay.probes.amd_records import AMD
from assay.probes.pasted import bdf, boxed, count, mib, real, words

Fact = Accelerator | ScaleUpLink | PeerPath | DeviceProcess | Software

_GAP = re.compile(r" {2,}|\t")
_GPU_ROW = re.compile(r"^ *GPU *(\d{1,6})\s+((?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f:]{5}\.[0-7])\s+(.*)$")
_RATE = re.compile(r"N/A|(\d+(?:\.\d+)?) ?Gb/s")
_CELL = re.compile(r"N/A|\d+(?:\.\d+)? ?[KMGTPE]?i?B")
_HELP = re.compile(r"ID: (\d{1,6}) +\| BDF: ([0-9A-Fa-f:.]+)(?: +\| UUID: (\S+))?", re.IGNORECASE)
_NOT_A_RATE = 65535  # what amd-smi printed for "no links" before it learned to say N/A


def monitor(text: str) -> Iterator[Fact]:
    """``amd-smi monitor``: the last row of each GPU counts, its first partition if it has many."""
    found: dict[int, Accelerator] = {}
    lines = text.split("\n")
    for at, line in enumerate(lines):
        columns = _GAP.split(line.strip())
        if "GPU" not in columns[:2] or len(columns) < 2 or "PID" in columns:
            continue
        for row in lines[at + 1 :]:
            cells = _cells(row, line, columns)
            if cells is None:
                break
            gpu = count(cells.get("GPU"))
            if gpu is not None and count(cells.get("XCP")) in (None, 0):
                found[gpu] = _monitored(gpu, cells)
    yield from (found[gpu] for gpu in sorted(found))
    yield from _monitored_processes(lines)


def _cells(row: str, header: str, columns: list[str]) -> dict[str, str] | None:
    """One row by column; None where the table ends. Cells may run together: they end where the
    headings end."""
    if not row.strip() or not row.lstrip()[:1].isdigit():
        return None
    cells = _GAP.split(row.strip())
    if len(cells) != len(columns):
        cells, start, at = [], 0, 0
        for column in columns:
            at = header.index(column, at) + len(column)
            cells.append(row[start:at].strip())
            start = at
    return dict(zip(columns, cells, strict=True))


def _monitored(gpu: int, cells: dict[str, str]) -> Accelerator:
    def get(*names: str) -> str:
        return next((cells[name] for name in names if words(cells.get(name))), "")

    used, _, total = get("VRAM_USAGE").partition("/")
    unit = total.strip().rpartition(" ")[2]
    return Accelerator(
        vendor=AMD,
        index=gpu,
        memory_mib=mib(get("VRAM_TOTAL") or total.strip()),
        memory_used_mib=mib(get("VRAM_USED") or f"{used.strip()} {unit}"),
        utilization_percent=real(get("GFX_UTIL", "GFX%")),
        temperature_c=real(get("GPU_TEMP", "GPU_T")),
        memory_temperature_c=real(get("MEM_TEMP", "MEM_T")),
        power_w=real(get("POWER", "POWER_USAGE")),
        power_limit_w=real(get("PWR_CAP", "POWER_CAP")),
        pcie_replays=count(get("PCIE_REPLAY")),
        ecc_corrected_volatile=count(get("SINGLE_ECC")),
        ecc_uncorrected_volatile=count(get("DOUBLE_ECC")),
    )


def _monitored_processes(lines: list[str]) -> Iterator[DeviceProcess]:
    for at, line in enumerate(lines):
        columns = _GAP.split(line.strip())
        if columns[0] != "GPU" or "PID" not in columns:
            continue
        for row in lines[at + 1 :]:
            cells = _cells(row, line, columns)
            if cells is None:
                break
            gpu, pid = count(cells.get("GPU")), count(cells.get("PID"))
            if gpu is not None and pid is not None:
                used = mib(cells.get("VRAM_MEM"))
                yield DeviceProcess(AMD, gpu, pid, words(cells.get("NAME")), used)


def topology(text: str) -> Iterator[Fact]:
    """``amd-smi topology``: square tables, one for each property, with PCI addresses outside."""
    tables: dict[str, list[tuple[str, list[str]]]] = {}
    title = ""
    for line in text.split("\n"):
        head = re.match(r"^\s*([A-Z][A-Z /_-]*) TABLE:", line)
        if head:
            title = head.group(1)
        elif title and line.split() and bdf(line.split()[0]):
            cells = line.split()
            if len(cells) > 1 and not all(bdf(cell) for cell in cells):
                tables.setdefault(title, []).append((bdf(cells[0]), cells[1:]))
    places = list(dict.fromkeys(place for rows in tables.values() for place, _ in rows))
    for index, place in enumerate(places):
        yield Accelerator(AMD, index, bdf=place)
    for source, place in enumerate(places):
        for target in range(len(places)):
            if source != target:
                yield _path(tables, source, target, place)


def _path(
    tables: dict[str, list[tuple[str, list[str]]]], source: int, target: int, place: str
) -> PeerPath:
    def cell(title: str) -> str:
        rows = dict(tables.get(title, []))
        return rows[place][target] if place in rows and target < len(rows[place]) else ""

    rate = real(cell("NUMA BW").rpartition("-")[2])  # lowest-highest, MB/s
    return PeerPath(
        AMD,
        source,
        target,
        words(cell("LINK TYPE")).lower(),
        count(cell("HOPS")),
        count(cell("WEIGHT")),
        {"ENABLED": True, "DISABLED": False}.get(cell("ACCESS")),
        rate / 1000 if rate is not None else None,
    )


@dataclass
class _Fabric:
    """What the tables of ``amd-smi xgmi`` say, by GPU."""

    places: dict[int, str] = field(default_factory=dict)
    rates: dict[int, float | None] = field(default_factory=dict)
    peers: dict[int, set[int]] = field(default_factory=dict)
    states: dict[tuple[int, int], bool | None] = field(default_factory=dict)
    ports: dict[int, list[str]] = field(default_factory=dict)

    def row(self, title: str, gpu: int, place: str, rest: str) -> None:
        """A row that begins with a GPU and its address."""
        self.places[gpu] = bdf(place)
        if title == "LINK METRIC TABLE":
            self.rates[gpu] = _bandwidth(rest)
        elif title == "XGMI LINK STATUS":
            for peer, word in enumerate(rest.split()):
                if word not in ("SELF", "N/A") and peer != gpu:
                    self.states[gpu, peer] = link_up(word)
        else:
            self.ports[gpu] = [word for word in rest.split() if word in ("U", "D")]

    def traffic(self, gpu: int, line: str) -> None:
        """What the GPU has read from each peer: N/A where there is no link."""
        cells = _CELL.findall(line)
        self.peers[gpu] = {n for n, cell in enumerate(cells) if cell != "N/A" and n != gpu}

    def links(self, gpu: int) -> Iterator[ScaleUpLink]:
        """Links by peer, or by port where the peers were not shown."""
        rate = self.rates.get(gpu)
        known = self.peers.get(gpu, set()) | {peer for owner, peer in self.states if owner == gpu}
        for peer in sorted(known):
            yield ScaleUpLink(AMD, gpu, peer, self.states.get((gpu, peer)), rate)
        if not known:
            for port, word in enumerate(self.ports.get(gpu, ())):
                yield ScaleUpLink(AMD, gpu, port, link_up(word), rate)


def xgmi(text: str) -> Iterator[Fact]:
    """``amd-smi xgmi``: rates and traffic, then the state of links by port and by peer."""
    fabric = _Fabric()
    title, gpu = "", -1
    for line in text.split("\n"):
        if head := re.match(r"^\s*([A-Z][A-Z ]*(?:TABLE|STATUS)):?\s*$", line):
            title = head.group(1)
        elif row := _GPU_ROW.match(line):
            gpu = int(row.group(1))
            fabric.row(title, gpu, row.group(2), row.group(3))
        elif gpu >= 0 and line.split()[:1] == ["Read"]:
            fabric.traffic(gpu, line)
    for index, place in sorted(fabric.places.items()):
        yield Accelerator(AMD, index, bdf=place)
        yield from fabric.links(index)


def _bandwidth(cells: str) -> float | None:
    """The second rate of ``32 Gb/s  512 Gb/s  XGMI``, in GB/s."""
    found = list(_RATE.finditer(cells))
    if len(found) < 2 or found[1].group(1) is None or found[0].group(1) == str(_NOT_A_RATE):
        return None
    return float(found[1].group(1)) / 8


def default_view(text: str) -> Iterator[Fact]:
    """Plain ``amd-smi`` (ROCm 7): two lines for each GPU."""
    yield from versions(text)
    upper: tuple[str, str] = ("", "")
    for cells in (row for table in boxed(text) for row in table):
        if len(cells) == 2 and bdf(cells[0].split(" ")[0]):
            upper = (cells[0], cells[1])
        elif len(cells) == 2 and upper[0] and cells[0].split(" ")[0].isdigit():
            yield _viewed(upper, (cells[0], cells[1]))
            upper = ("", "")
        elif len(cells) == 1:
            process = re.fullmatch(r"(\d{1,6}) +(\d{1,9}) +(\S.*?)  +.*", cells[0])
            if process:
                index, pid, name = process.groups()
                yield DeviceProcess(AMD, int(index), int(pid), name)


def _viewed(upper: tuple[str, str], lower: tuple[str, str]) -> Accelerator:
    place, _, name = upper[0].partition(" ")
    heat = re.search(r"(\d+(?:\.\d+)?) ?°?C\b", upper[1])
    power = re.search(r"(\d+|N/A)/(\d+|N/A) W", upper[1])
    memory = re.search(r"(\d+|N/A)/(\d+|N/A) ([KMGT]i?B)", lower[1])
    errors = re.search(r"(?:°?C|N/A) +(\d+|N/A) +\S+ W", upper[1])
    busy = re.match(r"(\d+) %", lower[1])
    ids = lower[0].split()
    return Accelerator(
        vendor=AMD,
        index=int(ids[0][:6]),
        product=name.strip(),
        bdf=bdf(place),
        memory_mib=mib(f"{memory[2]} {memory[3]}") if memory else None,
        memory_used_mib=mib(f"{memory[1]} {memory[3]}") if memory else None,
        utilization_percent=real(busy[1]) if busy else None,
        temperature_c=real(heat[1]) if heat else None,
        power_w=real(power[1]) if power else None,
        power_limit_w=real(power[2]) if power else None,
        ecc_uncorrected_volatile=count(errors[1]) if errors else None,
        partition_mode=words(ids[-1]) if "/" in ids[-1] else "",
    )


_VERSIONS: tuple[tuple[str, str], ...] = (
    ("amd-smi", r"(?:AMDSMI Tool:|\"(?:tool_)?version\":|AMD-SMI)\s*\"?(\d[\w.+-]*)"),
    ("amd-smi-lib", r"(?:AMDSMI Library version:|\"amdsmi_library_version\":)\s*\"?(\d[\w.+-]*)"),
    ("rocm", r"(?:ROCm version:|\"rocm_version\":)\s*\"?(\d[\w.+-]*)"),
    ("amdgpu", r"(?:amdgpu version:|\"amdgpu_version\":)\s*\"?(\d[\w.+-]*)"),
)


def versions(text: str) -> Iterator[Software]:
    """``amd-smi version``, and the first line of the default view."""
    for component, pattern in _VERSIONS:
        found = re.search(pattern, text)
        if found:
            origin = "module" if component == "amdgpu" else "binary"
            yield Software(component, found.group(1), origin)


def help_text(text: str) -> Iterator[Accelerator]:
    """``amd-smi ... --help`` lists the GPUs that one may choose."""
    found: dict[int, Any] = {}
    for index, place, uuid in _HELP.findall(text):
        if bdf(place):
            found[int(index)] = Accelerator(AMD, int(index), uuid=words(uuid), bdf=bdf(place))
    yield from (found[index] for index in sorted(found))
