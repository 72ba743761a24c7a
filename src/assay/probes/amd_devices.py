"""AMD GPUs of a node, from amd-smi, or from rocm-smi where amd-smi does not answer."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.kit.probe import probe
from assay.kit.reading import Reading, command
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Status
from assay.model.facts.accelerator import Accelerator, ScaleUpLink, VendorToolError
from assay.model.facts.device import (
    BadPages,
    DeviceAffinity,
    DeviceProcess,
    GpuPartition,
    PeerPath,
    RasBlock,
    ToolAnswer,
)
from assay.model.facts.software import Software
from assay.probes import amd_facts, amd_links, amd_records, rocm_facts
from assay.probes.amd_records import AMD, Record
from assay.probes.pasted import clean, said, tried, was_cut
from assay.probes.vendor_errors import tool_error

# A paste of one subcommand may begin with any of its sections.
_METRIC = "usage|power|clock|temperature|pcie|ecc|ecc_blocks|fan|mem_usage|throttle|energy|voltage"
_STATIC = "asic|bus|vbios|ifwi|board|limit|driver|ras|partition|numa|vram|cache_info"

STATIC = command(
    "amd-smi", "static", "--json", deadline=15,
    looks_like=rf'"gpu":\s*\d+,\s*"(?:{_STATIC})":\s*(?:\{{\s*"\w+":)?',
)  # fmt: skip
METRIC = command(
    "amd-smi", "metric", "--json", deadline=15,
    looks_like=rf'"gpu":\s*\d+,\s*"(?:{_METRIC})":\s*(?:\{{\s*"\w+":)?',
)  # fmt: skip
XGMI = command(
    "amd-smi", "xgmi", "--json", deadline=15,
    looks_like=r'"gpu":\s*\d+,\s*"bdf":\s*"[^"]*",\s*"(?:link_metrics|link_status)":',
)  # fmt: skip
ROCM = command(
    "rocm-smi", "--showallinfo", "--json", name="rocm-smi-json", deadline=15,
    looks_like=r'"card\d+":\s*\{\s*"(?:GPU ID|Device ID|Device Name|[^"]{3,60})":\s*"'
    r"|^(?:ERROR:root:)?Driver not initialized \(amdgpu not found in modules\)",
)  # fmt: skip

Fact = (
    Accelerator | VendorToolError | RasBlock | BadPages | PeerPath | DeviceAffinity
    | DeviceProcess | Software | GpuPartition | ToolAnswer
)  # fmt: skip


def answer(seen: Seen, reading: Reading, tool: str) -> str | VendorToolError | None:
    """What *reading* printed, the error that it reported instead, or None when it is not there.

    Both tools exit with 0 after some errors, so the words count more than the exit code.
    """
    capture = tried(seen, reading)
    if capture is None:
        return None
    if capture.status is not Status.ANSWERED:
        seen.answered(reading)  # raises Unread with its reason
    text = clean(capture.data.decode("utf-8", "replace"))
    if not capture.exit_code and ("{" in text or "[" in text.replace("[root", "")):
        return text
    return _complaint(capture, reading, tool)


def _complaint(capture: Capture, reading: Reading, tool: str) -> VendorToolError:
    error = tool_error(AMD, tool, said(capture), capture.exit_code)
    if error is None:
        raise Unread(
            f"`{reading.source}` exited with {capture.exit_code or 0} and printed nothing usable: "
            f"{said(capture).strip()[:120]!r}"
        )
    return error


@dataclass
class _Said:
    """What the subcommands of amd-smi said together."""

    records: dict[int, Record] = field(default_factory=dict)
    listed: set[int] = field(default_factory=set)  # how many GPUs, by each subcommand
    complaints: list[VendorToolError] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def add(self, seen: Seen, reading: Reading) -> None:
        """Put the answer to *reading* in its place."""
        try:
            text = answer(seen, reading, "amd-smi")
            if isinstance(text, VendorToolError):
                self.complaints.append(text)
            elif text is not None:
                found = amd_records.from_json(text)
                self.listed.add(len(found))
                for record in found:
                    self.records.setdefault(record["gpu"], {}).update(record)
                if was_cut(text):
                    self.unread.append(f"`{reading.source}` was cut short by hand")
        except Unread as reason:
            self.unread.append(str(reason))

    @property
    def doubts(self) -> list[str]:
        """Why the GPUs that were listed may not be all that there is to know."""
        found = [*self.unread, *(f"amd-smi: {error.message}" for error in self.complaints)]
        if len(self.listed) > 1:
            numbers = " or ".join(map(str, sorted(self.listed)))
            found.append(f"amd-smi lists {numbers} GPUs, by subcommand")
        return found


@probe("amd.devices", reads=[STATIC, METRIC, ROCM])
def devices(seen: Seen) -> Iterator[Fact]:
    """AMD GPUs: what they are, their links to the host, memory errors, heat and power."""
    amd_smi = _Said()
    for reading in (STATIC, METRIC):
        amd_smi.add(seen, reading)
    if amd_smi.listed:
        records = [amd_smi.records[index] for index in sorted(amd_smi.records)]
        yield from _answered("amd-smi", amd_facts.everything(records))
    yield from _complained("amd-smi", amd_smi.complaints)
    doubts = amd_smi.doubts if amd_smi.records else amd_smi.unread
    if not amd_smi.records:
        text = answer(seen, ROCM, "rocm-smi")
        if isinstance(text, VendorToolError):
            yield from _complained("rocm-smi", [text])
        elif text is not None:
            yield from _answered("rocm-smi", rocm_facts.from_json(text))
    if doubts:
        raise Unread("; ".join(doubts))


def _answered(tool: str, facts: Iterator[Any]) -> Iterator[Fact]:
    """*facts*, and that *tool* gave them."""
    places = []
    for fact in facts:
        yield fact
        if isinstance(fact, Accelerator):
            places.append(fact.bdf)
    known = tuple(place for place in places if place)
    yield ToolAnswer(AMD, tool, len(places), known if len(known) == len(places) else ())


def _complained(tool: str, errors: list[VendorToolError]) -> Iterator[Fact]:
    yield from dict.fromkeys(errors)
    for message in dict.fromkeys(error.message for error in errors):
        yield ToolAnswer(AMD, tool, 0, (), message)


@probe("amd.xgmi", reads=[XGMI])
def xgmi(seen: Seen) -> Iterator[ScaleUpLink]:
    """The xGMI links between the GPUs of a node, and whether they are up."""
    text = answer(seen, XGMI, "amd-smi")
    if isinstance(text, VendorToolError):
        raise Unread(f"`{XGMI.source}`: {text.message}")
    if text is not None:
        records = amd_records.from_json(text)
        if not records:
            raise Unread(f"`{XGMI.source}` lists no GPU")
        for record in records:
            yield from amd_links.links(record)
