"""What a saved `dmidecode` says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.kit.quantity import SILENT
from assay.kit.reading import saved
from assay.kit.seen import Unread
from assay.model.facts.dmi import Machine
from assay.model.facts.memory import MemoryModule
from assay.probes.kernel_values import plain_lines, whole

DMIDECODE = saved(
    "dmidecode",
    looks_like=r"^# dmidecode \d+\.\d+[^\n]*$|^SMBIOS \d+\.\d+[\d.]* present\.$"
    r"|^Handle 0x[0-9A-F]{4}, DMI type \d+, \d+ bytes\.?$",
)
_HANDLE = re.compile(r"Handle 0x[0-9A-Fa-f]{4}, DMI type (\d{1,3})(?:, \d+ bytes\.?)?")
_FIELD = re.compile(r"(?:\t| {1,8})([^\s:][^:]*):\s*(.*)")
_SIZE = re.compile(r"(\d{1,15}) (bytes?|kB|MB|GB|TB)")
_UNITS = {"bytes": 1, "byte": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_SILENT = SILENT | {"not specified", "unspecified", "not provided", "to be filled by o.e.m.",
                    "no dimm", "default string", "empty"}  # fmt: skip
_BIOS, _SYSTEM, _BOARD, _CHASSIS, _MEMORY = 0, 1, 2, 3, 17


@dataclass(frozen=True, slots=True)
class _Structure:
    type: int
    fields: dict[str, str]

    def get(self, *names: str) -> str:
        """The first of *names* that has a value; "" for the words that mean none."""
        for name in names:
            value = self.fields.get(name, "").strip()
            if value.lower() not in _SILENT:
                return value
        return ""


def _structures(text: str) -> list[_Structure]:
    found: list[_Structure] = []
    for line in plain_lines(text):
        if handle := _HANDLE.fullmatch(line.strip()):
            found.append(_Structure(int(handle.group(1)), {}))
        elif found and (field := _FIELD.fullmatch(line)):
            found[-1].fields.setdefault(field.group(1).strip(), field.group(2).strip())
    return found


def machine(text: str) -> Machine:
    """Maker, product and firmware; Unread when the table has none of them."""
    by_type: dict[int, _Structure] = {}
    for structure in _structures(text):
        by_type.setdefault(structure.type, structure)
    none = _Structure(-1, {})
    bios, system = by_type.get(_BIOS, none), by_type.get(_SYSTEM, none)
    board, chassis = by_type.get(_BOARD, none), by_type.get(_CHASSIS, none)
    if not (bios.fields or system.fields or board.fields):
        raise Unread(_why_not(text))
    return Machine(
        vendor=system.get("Manufacturer"),
        product=system.get("Product Name"),
        board_vendor=board.get("Manufacturer"),
        board=board.get("Product Name"),
        bios_vendor=bios.get("Vendor"),
        bios_version=bios.get("Version"),
        bios_date=bios.get("Release Date"),
        chassis=chassis.get("Manufacturer"),
    )


def _why_not(text: str) -> str:
    complaint = next(
        (line for line in plain_lines(text) if "denied" in line or "No SMBIOS" in line), ""
    )
    return "dmidecode shows no machine" + (f": {complaint.strip()[:120]}" if complaint else "")


def memory_modules(text: str) -> Iterator[MemoryModule]:
    """Every slot that has a module in it."""
    for structure in _structures(text):
        if structure.type != _MEMORY:
            continue
        size = structure.get("Size")
        if not size or "No Module" in size or "Not Installed" in size:
            continue
        yield MemoryModule(
            locator=structure.get("Locator"),
            size=_bytes(size),
            type=structure.get("Type"),
            speed=_rate(structure.get("Speed")),
            configured_speed=_rate(
                structure.get("Configured Memory Speed", "Configured Clock Speed")
            ),
            manufacturer=structure.get("Manufacturer"),
            part_number=structure.get("Part Number"),
            bank=structure.get("Bank Locator"),
            rank=whole(structure.get("Rank")),
        )


def _bytes(text: str) -> int | None:
    found = _SIZE.fullmatch(text)
    return int(found.group(1)) * _UNITS[found.group(2)] if found else None


def _rate(text: str) -> int | None:
    """MT/s; old versions print the same number as MHz."""
    found = re.fullmatch(r"(\d{1,6}) (?:MT/s|MHz)", text)
    return int(found.group(1)) if found else None
