"""The eight H100 of the node as ``nvidia-smi -q -x`` shows them: idle, and nothing wrong."""

from collections.abc import Iterator

from assay.demo.hgx_h100.host_linux import NVIDIA as DRIVER
from assay.demo.hgx_h100.host_pci import GPU_ADDRESSES
from assay.demo.hgx_h100.nvidia_smi_xml import GPU, TAIL
from assay.demo.hosts import answer
from assay.model.evidence import Capture
from assay.probes import nvidia_smi

PRODUCT = "NVIDIA H100 80GB HBM3"
VBIOS = "96.00.D9.00.01"
CORES = (32, 35, 33, 36, 31, 34, 33, 37)
MEMORIES = (38, 41, 39, 43, 37, 40, 40, 42)
WATTS = (69.41, 71.03, 70.22, 72.18, 68.97, 70.75, 69.88, 71.54)
MODULES = (2, 4, 3, 1, 7, 5, 8, 6)  # where each GPU sits on the baseboard

HEAD = f"""\
<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
<nvidia_smi_log>
	<timestamp>Tue Sep 29 06:12:44 2026</timestamp>
	<driver_version>{DRIVER}</driver_version>
	<cuda_version>13.0</cuda_version>
	<attached_gpus>8</attached_gpus>
"""

REASONS = (
    "gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown",
    "hw_thermal_slowdown", "hw_power_brake_slowdown", "sync_boost", "sw_thermal_slowdown",
    "display_clocks_setting",
)  # fmt: skip
COUNTERS = ("sw_power_cap", "sync_boost", "sw_therm_slowdown", "hw_therm_slowdown",
            "hw_power_brake")  # fmt: skip
ECC = ("sram_correctable", "sram_uncorrectable_parity", "sram_uncorrectable_secded",
       "dram_correctable", "dram_uncorrectable")  # fmt: skip


def captures() -> Iterator[Capture]:
    """Everything that nvidia-smi tells as XML."""
    yield answer(nvidia_smi.XML, HEAD + "".join(map(_gpu, range(8))) + "</nvidia_smi_log>\n")


def uuid(number: int) -> str:
    """The UUID of a GPU."""
    return f"GPU-6f0c51d{number}-4b1e-9a27-83c5-d17e2f9a60b{number}"


def _tags(section: str, names: tuple[str, ...], word: str, first: str = "") -> str:
    """A section of clock-event values, all *word* (the first one *first*)."""
    tag = section.replace("reasons", "reason") if first else section
    lines = [
        f"\t\t\t<{tag}_{name}>{first if first and not at else word}</{tag}_{name}>\n"
        for at, name in enumerate(names)
    ]
    return f"\t\t<{section}>\n{''.join(lines)}\t\t</{section}>\n"


def _gpu(number: int) -> str:
    address = GPU_ADDRESSES[number]
    text = GPU.format(
        number=number,
        product=PRODUCT,
        uuid=uuid(number),
        vbios=VBIOS,
        bus_id=f"0000{address}".upper(),
        board=address[5:7].upper(),
        module=MODULES[number],
        driver=DRIVER,
        reasons=_tags("clocks_event_reasons", REASONS, "Not Active", first="Active"),
        counters=_tags("clocks_event_reasons_counters", COUNTERS, "0 us"),
        ecc="".join(f"\t\t\t\t<{name}>0</{name}>\n" for name in ECC),
        core=CORES[number],
        margin=88 - CORES[number],
        memory=MEMORIES[number],
        watts=WATTS[number],
        instant=WATTS[number] + 0.31,
    )
    return text + TAIL
