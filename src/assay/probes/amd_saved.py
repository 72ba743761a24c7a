"""Outputs of amd-smi and rocm-smi that people save, and that are never collected."""

from collections.abc import Callable, Iterator

from assay.kit.probe import probe
from assay.kit.reading import Reading, saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.accelerator import Accelerator, ScaleUpLink, VendorToolError
from assay.model.facts.device import (
    BadPages,
    DeviceAffinity,
    DeviceProcess,
    GpuPartition,
    PeerPath,
    RasBlock,
)
from assay.model.facts.software import Software
from assay.probes import (
    amd_csv,
    amd_facts,
    amd_links,
    amd_records,
    amd_tables,
    rocm_facts,
    rocm_table,
)
from assay.probes.amd_records import AMD, Record
from assay.probes.pasted import clean, said, tried, was_cut
from assay.probes.vendor_errors import tool_error

Fact = (
    Accelerator | ScaleUpLink | VendorToolError | RasBlock | BadPages | PeerPath | DeviceAffinity
    | DeviceProcess | Software | GpuPartition
)  # fmt: skip

TEXT = saved("amd-smi-text", looks_like=r"^GPU: \d+[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]+[A-Z_]+:.*$")
JSON = saved(
    "amd-smi-json",
    looks_like=r'"gpu":\s*\d+,\s*"(?:uuid|bdf|process_list|process_info|retired|pending|un_res'
    r"|link_accessibility|weight|hops|link_type|current_partition|fw_list|links|fw|node_id"
    r'|kfd_id|partition_id|xgmi_err|perf_level|memory|accelerator_type)":\s*',
)
CSV = saved(
    "amd-smi-csv",
    looks_like=r"^gpu,(?:[\w/()% -]+,)*(?:gpu_)?(?:bdf|uuid|market_name|max_pcie_width|gfx_activity"
    r"|socket_power|hotspot|total_correctable_count|total_vram|power_usage|hotspot_temperature"
    r"|product_name|vram_used)\b.*$",
)
MONITOR = saved("amd-smi-monitor", looks_like=r"^[ \t]*(?:TIMESTAMP +)?GPU +(?:XCP +)?POWER\b.*$")
TEMPERATURES = saved("amd-smi-monitor-part", looks_like=r"^[ \t]*GPU +(?:XCP +)?"
    r"(?:GPU_T|MEM_T|GFX_U"
                     r"|GFX_C|MEM_U|MEM_C|VRAM_US|ENC_|DEC_|SINGLE_ECC|GFX%|VRAM_).*$")  # fmt: skip
TOPOLOGY = saved("amd-smi-topology", looks_like=r"^(?:ACCESS|WEIGHT|HOPS|LINK TYPE|NUMA BW) TABLE:")
LINKS = saved(
    "amd-smi-xgmi",
    looks_like=r"^(?:LINK METRIC TABLE:|(?:XGMI LINK|GPU LINK PORT) STATUS:?)\s*\n.*",
)
VIEW = saved("amd-smi", looks_like=r"^\| AMD-SMI +\S+.*\|\s*$")
VERSION = saved("amd-smi-version", looks_like=r"AMDSMI Tool: ?\S.*|\"amdsmi_library_version\":.*")
HELP = saved("amd-smi-help", looks_like=r"^usage: amd-smi .*$")
FAILED = saved(
    "amd-smi-error",
    looks_like=r"^.*(?:Unable to get devices, driver not initialized|Drivers? not (?:loaded|"
    r"initialized) ?\((?:amdgpu|amd_hsmp)|Unable to detect any (?:GPU|CPU) devices"
    r"|AMDSMI_STATUS_\w+|AmdSmi\w*Exception).*$",
)
ROCM_LINES = saved("rocm-smi-text", looks_like=r"^GPU\[\d+\]\s*: [^:\n]+:[^\n]*$")
ROCM_TABLE = saved(
    "rocm-smi",
    looks_like=r"^[^\w\n]{0,120}(?:ROCm System Management Interface|Concise Info)[^\w\n]{0,120}$"
    r"[\s\S]{0,600}?"
    r"^(?:GPU|Device)\s.*(?:PwrCap|SCLK).*$",
)
ROCM_CSV = saved("rocm-smi-csv", looks_like=r"^device,.*(?:GPU ID|Device ID|Temperature|VRAM).*$")

Parser = Callable[[str], Iterator[Fact]]


def _records(records: list[Record]) -> Iterator[Fact]:
    yield from amd_facts.everything(records)
    for record in records:
        yield from amd_links.links(record)


def _json(text: str) -> Iterator[Fact]:
    yield from _records(amd_records.from_json(text))


def _text(text: str) -> Iterator[Fact]:
    yield from _records(amd_records.from_text(text))


def _failed(text: str) -> Iterator[VendorToolError]:
    error = tool_error(AMD, "amd-smi", text)
    if error is not None:
        yield error


def _concise(text: str) -> Iterator[Fact]:
    """rocm-smi's table may come with nothing but a warning."""
    if "No AMD GPUs specified" in text:
        yield VendorToolError(AMD, "rocm-smi", "no-devices", "WARNING: No AMD GPUs specified")
    else:
        yield from rocm_table.rows(text)


_PARSERS: tuple[tuple[Reading, Parser], ...] = (
    (TEXT, _text),
    (JSON, _json),
    (CSV, amd_csv.rows),
    (MONITOR, amd_tables.monitor),
    (TEMPERATURES, amd_tables.monitor),
    (TOPOLOGY, amd_tables.topology),
    (LINKS, amd_tables.xgmi),
    (VIEW, amd_tables.default_view),
    (VERSION, amd_tables.versions),
    (HELP, amd_tables.help_text),
    (FAILED, _failed),
    (ROCM_LINES, rocm_facts.from_lines),
    (ROCM_TABLE, _concise),
    (ROCM_CSV, rocm_facts.from_csv),
)


@probe("amd.saved", reads=[reading for reading, _ in _PARSERS])
def outputs(seen: Seen) -> Iterator[Fact]:
    """Saved outputs of amd-smi and rocm-smi in their other forms."""
    for reading, parser in _PARSERS:
        capture = tried(seen, reading)
        if capture is None:
            continue
        text = clean(seen.text(reading)) if capture.exit_code == 0 else said(capture)
        yield from parser(text)
        if was_cut(text):
            raise Unread(f"{reading.name} was cut short by hand: there may be more GPUs")
