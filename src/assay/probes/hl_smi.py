"""Intel Gaudi accelerators of a node, from hl-smi's table and its CSV query."""

import csv
import re
from collections.abc import Iterator
from dataclasses import fields, replace

from assay.kit.probe import probe
from assay.kit.reading import command
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.device import DeviceProcess
from assay.model.facts.software import Software
from assay.probes.pasted import bdf, clean, count, mib, real, said, tried, words
from assay.probes.vendor_errors import tool_error

GAUDI = "gaudi"
Fact = Accelerator | VendorToolError | DeviceProcess | Software

# Fields of the oldest release that has -Q (1.4) and later, in the tool's names.
_ASKED = (
    "index,module_id,name,bus_id,driver_version,uuid,temperature.aip,utilization.aip,"
    "memory.total,memory.used,power.draw,ecc.mode.current,ecc.errors.uncorrected.volatile.total,"
    "ecc.errors.corrected.volatile.total,ecc.errors.uncorrected.aggregate.total,"
    "pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max"
)
QUERY = command(
    "hl-smi", "-Q", _ASKED, "-f", "csv", name="hl-smi-query",
    looks_like=r"^(?=.*\b(?:module_id|temperature\.aip|utilization\.aip|bus_id)\b)"
    r"(?:[a-z_.-]+(?: \[[^\],\n]+\])?, *)+[a-z_.-]+(?: \[[^\],\n]+\])?\s*$",
)  # fmt: skip
TABLE = command("hl-smi", looks_like=r"^\| HL-SMI Version: +\S+ *\|\s*$[\s\S]{0,400}")

_DEVICE = re.compile(
    r"^\|\s*(\d{1,4})\s+(\S.*?)\s+(?:N/A|On|Off)?\s*\|\s*([0-9A-Fa-f:.]+)\s+\S+\s*\|\s*(\S+)\s*\|$"
)
_VALUES = re.compile(
    r"^\|\s*\S+\s+(\S+)\s+\S+\s+(\S+)\s*/\s*(\S+)\s*\|\s*(\S+)\s*/\s*(\S+)\s*\|\s*(\S+)\s+.*\|$"
)
_PROCESS = re.compile(r"^\|\s*(\d{1,4})\s+(\d{1,9})\s+\S+\s+(\S.*?)\s+(\S+)\s*\|$")
_VERSIONS = re.compile(r"(HL-SMI|Driver) Version:\s*(\S+)")
_FIRMWARE = re.compile(r"-fw-([\w.-]+)$")


@probe("gaudi.devices", reads=[QUERY, TABLE])
def devices(seen: Seen) -> Iterator[Fact]:
    """Gaudi accelerators: memory, heat, power and uncorrected memory errors."""
    found: dict[int, Accelerator] = {}
    unread: list[str] = []
    complaints: list[VendorToolError] = []
    for reading, parser in ((TABLE, _table), (QUERY, _query)):
        capture = tried(seen, reading)
        if capture is None:
            continue
        if capture.status is not Status.ANSWERED:
            unread.append(f"`{reading.source}`: {capture.status} {capture.reason}".rstrip())
            continue
        before = len(found)
        for fact in parser(clean(capture.data.decode("utf-8", "replace"))):
            if isinstance(fact, Accelerator):
                found[fact.index] = _merged(found.get(fact.index), fact)
            else:
                yield fact
        if capture.exit_code or len(found) == before == 0:
            error = tool_error(GAUDI, "hl-smi", said(capture), capture.exit_code)
            if error is None:
                unread.append(f"hl-smi printed nothing usable: {said(capture).strip()[:120]!r}")
            else:
                complaints.append(error)
    yield from (found[index] for index in sorted(found))
    if not found:
        yield from dict.fromkeys(complaints)
        if unread and not complaints:
            raise Unread(unread[0])


def _merged(old: Accelerator | None, new: Accelerator) -> Accelerator:
    """*new*, with what only *old* says."""
    if old is None:
        return new
    known = {f.name: getattr(old, f.name) for f in fields(Accelerator) if f.name != "vendor"}
    missing = {k: v for k, v in known.items() if getattr(new, k) in (None, "")}
    return replace(new, **missing)


def _table(text: str) -> Iterator[Fact]:
    """The summary; with ``-l`` it comes again and again, and the last one counts."""
    told = dict(_VERSIONS.findall(text))
    firmware = found.group(1) if (found := _FIRMWARE.search(told.get("HL-SMI", ""))) else ""
    driver = told.get("Driver", "")
    if driver:
        yield Software("habanalabs", driver, "module")
    lines = [line.rstrip() for line in text.split("\n")]
    by_index: dict[int, Accelerator] = {}
    held: dict[tuple[int, int], DeviceProcess] = {}
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        device, values = _DEVICE.match(line), _VALUES.match(below)
        if device is not None and values is not None:
            index = int(device.group(1))
            by_index[index] = _row(device, values, driver, firmware)
        elif process := _PROCESS.match(line):
            index, pid = int(process.group(1)), int(process.group(2))
            memory = mib(process.group(4))
            held[index, pid] = DeviceProcess(GAUDI, index, pid, process.group(3), memory)
    yield from (by_index[index] for index in sorted(by_index))
    yield from held.values()


def _row(device: re.Match[str], values: re.Match[str], driver: str, firmware: str) -> Accelerator:
    heat, power, cap, used, total, busy = values.groups()
    return Accelerator(
        vendor=GAUDI,
        index=int(device.group(1)),
        product=words(device.group(2)),
        bdf=bdf(device.group(3)),
        driver=driver,
        firmware=firmware,
        memory_mib=mib(total),
        memory_used_mib=mib(used),
        utilization_percent=real(busy),
        temperature_c=real(heat),
        power_w=real(power),
        power_limit_w=real(cap),
        ecc_uncorrected_volatile=count(device.group(4)),
    )


def _query(text: str) -> Iterator[Accelerator]:
    """CSV with a heading; units are in the heading, in the values, or left out."""
    lines = [line for line in text.split("\n") if line.strip()]
    start = next((n for n, line in enumerate(lines) if QUERY_HEAD.match(line.strip())), None)
    if start is None:
        return
    head = [name.split("[")[0].strip() for name in lines[start].split(",")]
    for at, row in enumerate(csv.reader(lines[start + 1 :])):
        if len(row) != len(head):
            break
        yield _queried(at, {name: cell.strip() for name, cell in zip(head, row, strict=True)})


QUERY_HEAD = re.compile(QUERY.looks_like, re.MULTILINE)


def _queried(at: int, row: dict[str, str]) -> Accelerator:
    index = count(row.get("index"))
    modes = {"enabled": True, "disabled": False, "1": True, "0": False}
    return Accelerator(
        vendor=GAUDI,
        index=at if index is None else index,
        product=words(row.get("name")),
        uuid=words(row.get("uuid")),
        bdf=bdf(row.get("bus_id")),
        driver=words(row.get("driver_version")),
        memory_mib=mib(row.get("memory.total")),
        memory_used_mib=mib(row.get("memory.used")),
        utilization_percent=real(row.get("utilization.aip")),
        temperature_c=real(row.get("temperature.aip")),
        power_w=real(row.get("power.draw")),
        pcie_generation=count(row.get("pcie.link.gen.current")),
        pcie_generation_max=count(row.get("pcie.link.gen.max")),
        pcie_width=count(row.get("pcie.link.width.current")),
        pcie_width_max=count(row.get("pcie.link.width.max")),
        ecc_enabled=modes.get(row.get("ecc.mode.current", "").lower()),
        ecc_corrected_volatile=count(row.get("ecc.errors.corrected.volatile.total")),
        ecc_uncorrected_volatile=count(row.get("ecc.errors.uncorrected.volatile.total")),
        ecc_uncorrected_aggregate=count(row.get("ecc.errors.uncorrected.aggregate.total")),
    )
