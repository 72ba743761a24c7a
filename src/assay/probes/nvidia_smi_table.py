"""The table that plain ``nvidia-smi`` prints: of drivers from 384 to 610."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import saved
from assay.kit.seen import Seen, Unread
from assay.probes.nvidia_lost import Found, all_of
from assay.probes.nvidia_record import Record
from assay.probes.nvidia_words import errors
from assay.probes.pasted import clean, count, tried

TABLE = saved(
    "nvidia-smi.table",
    looks_like=r"^\| NVIDIA-SMI [\d.]+ [^\n]*(?:\n[^\n]*){0,12}"
    # Errors come with every form of nvidia-smi, so they are the weakest mark.
    r"|^NVIDIA-SMI(?= has failed| couldn't)|^Failed(?= to initialize NVML)"
    r"|^Unable(?= to determine the device handle)|^No(?= devices were found)"
    r"|nvidia-smi(?=: (?:command )?not found)",
)

_DRIVER = re.compile(r"(?:Driver|KMD) Version: *([\d.]+)")
_FIRST = re.compile(r"(\d{1,4}) +(.+?) +(On|Off|N/A|ERR!|TCC|WDDM|MCDM)")
_BUS = re.compile(r"([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])\b.*")
_SECOND = re.compile(
    r"(?P<fan>\S+) +(?P<temperature>\S+) +(?P<state>\S+) +(?P<power>\S+) */ *(?P<limit>\S+)"
)
_MEMORY = re.compile(r"(\d+) ?MiB */ *(\d+) ?MiB")
_LOAD = re.compile(r"(\S+) +(\S.*)")
_MIG = re.compile(r"(\d{1,4}) +(\d{1,4}) +(\d{1,4}) +(\d{1,4})")
_PROCESS = re.compile(
    r"(?P<gpu>\d{1,4}) +(?:(?:N/A|\d+) +(?:N/A|\d+) +)?(?P<pid>\d+) +(?P<type>[CGM+]+) +"
    r"(?P<name>.*?) *(?P<memory>\d+ ?MiB|N/A)?"
)
_SWITCH = {"On": "Enabled", "Off": "Disabled"}
_MODES = {"Default": "Default", "E. Process": "Exclusive_Process", "E. Thread": "Exclusive_Thread",
          "Prohibited": "Prohibited"}  # fmt: skip


@probe("nvidia.smi-table", reads=[TABLE])
def gpus(seen: Seen) -> Iterator[Found]:
    """NVIDIA GPUs, MIG devices and processes in the table of nvidia-smi."""
    if tried(seen, TABLE) is None:
        return
    reader = _Reader()
    for line in clean(seen.text(TABLE)).split("\n"):
        reader.line(line.strip())
    complaints = list(errors("\n".join(reader.outside)))
    records = list(reader.records.values())
    yield from complaints
    yield from all_of(records, complaints)
    if not records and any(c.kind != "no-devices" for c in complaints):
        raise Unread(complaints[0].message)
    if not records and not complaints:
        raise Unread("the table of nvidia-smi shows no GPU")


class _Reader:
    """The three parts of the table, told apart by their headings."""

    def __init__(self) -> None:
        self.records: dict[int, Record] = {}
        self.outside: list[str] = []
        self._driver = ""
        self._part = "gpus"
        self._at = 0  # the line within one GPU's rows
        self._gpu: Record | None = None

    def line(self, line: str) -> None:
        """Read the next line."""
        if not (line.startswith("|") and line.endswith("|") and len(line) > 2):
            if not line.startswith("+"):
                self.outside.append(line)
            return
        cells = [cell.strip() for cell in line[1:-1].split("|")]
        if driver := _DRIVER.search(cells[0]):
            self._driver, self._part, self._gpu = driver.group(1), "gpus", None
        elif cells[0].startswith("MIG devices"):
            self._part = "migs"
        elif cells[0].startswith("Processes"):
            self._part = "processes"
            for record in self.records.values():
                record.processes = []
        elif self._part == "gpus" and len(cells) == 3:
            self._row(cells)
        elif self._part == "migs":
            self._mig(cells)
        elif self._part == "processes":
            self._process(cells[0])

    def _row(self, cells: list[str]) -> None:
        first, bus = _FIRST.fullmatch(cells[0]), _BUS.fullmatch(cells[1])
        if first and bus:
            number = int(first.group(1))
            values = {
                "product_name": first.group(2),
                "persistence_mode": _SWITCH.get(first.group(3), first.group(3)),
                "id": bus.group(1),
                **_errors(cells[2]),
            }
            self._gpu, self._at = Record(self._driver, values, index=number), 1
            self.records[number] = self._gpu
        elif self._gpu is not None:
            self._at += 1
            if self._at == 2:
                self._gpu.values.update(_readings(cells))
            elif self._at == 3 and cells[2]:
                self._gpu.values["mig_mode/current_mig"] = cells[2]

    def _mig(self, cells: list[str]) -> None:
        ids = _MIG.fullmatch(cells[0])
        memory = _MEMORY.search(cells[1]) if len(cells) > 1 else None
        record = self.records.get(int(ids.group(1))) if ids else None
        if ids is None or record is None:
            return
        values = {
            "gpu_instance_id": ids.group(2),
            "compute_instance_id": ids.group(3),
            "index": ids.group(4),
        }
        if memory:
            values["fb_memory_usage/used"], values["fb_memory_usage/total"] = memory.groups()
        if len(cells) > 2 and (uncorrected := count(cells[2].split(" ")[-1])) is not None:
            values["ecc_errors/volatile/sram_uncorrectable"] = str(uncorrected)
        record.migs.append(values)

    def _process(self, cell: str) -> None:
        found = _PROCESS.fullmatch(cell)
        record = self.records.get(int(found["gpu"])) if found else None
        if found and record and record.processes is not None:
            record.processes.append(
                {
                    "pid": found["pid"],
                    "process_name": found["name"],
                    "used_memory": found["memory"] or "",
                }
            )


def _errors(cell: str) -> dict[str, str]:
    """Volatile uncorrected errors: a number when ECC is on, "Off", "On" where MIG hides them."""
    if cell.isdigit():
        return {"ecc_mode/current_ecc": "Enabled", "ecc.errors.uncorrected.volatile.total": cell}
    return {"ecc_mode/current_ecc": _SWITCH.get(cell, cell)}


def _readings(cells: list[str]) -> dict[str, str]:
    values = {}
    if found := _SECOND.fullmatch(cells[0]):
        values["temperature.gpu"] = found["temperature"]
        values["pstate"] = found["state"]
        values["power.draw"], values["power.limit"] = found["power"], found["limit"]
    if memory := _MEMORY.fullmatch(cells[1]):
        values["memory.used"], values["memory.total"] = memory.groups()
    elif cells[1]:
        values["memory.used"] = cells[1]
    if load := _LOAD.fullmatch(cells[2]):
        values["utilization.gpu"] = load.group(1)
        values["compute_mode"] = _MODES.get(load.group(2).strip(), load.group(2).strip())
    return values
