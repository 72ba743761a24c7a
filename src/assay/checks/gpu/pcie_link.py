"""A GPU on half its lanes moves half the data to and from the host."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering, for_servers, is_share, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

TELLING = ("nvidia", "amd")  # whose tools report the link


@check(
    "gpu.pcie-link",
    asks="Has every accelerator the PCIe width and generation of its part?",
    severity=Severity.HIGH,
    why="Half the lanes, or an older generation, halve what moves between host, network and GPU.",
    fix="Reseat the board or riser, look for PCIe errors in the kernel log, check the link speed "
    "in the firmware setup.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,pcie.link.width.current,pcie.link.gen.max --format=csv",
    plants=[
        plant(Edit(XML.source, old="<current_link_width>16x<", new="<current_link_width>8x<"),
              name="half the lanes"),
        plant(Edit(XML.source, old="<max_link_gen>5<", new="<max_link_gen>3<"),
              name="an old generation"),
    ],
)  # fmt: skip
def pcie_link(
    devices: Sequence[Accelerator], details: Sequence[NvidiaDevice] | None
) -> Iterator[Verdict]:
    """Width now, and generation at most: an idle GPU lowers its speed by design."""
    for device in answering(devices):
        part = part_of(device)
        if part is not None and part.pcie_generation is None and device.vendor == "nvidia":
            yield not_applicable(device.subject, f"a {part.name} reaches its host by NVLink-C2C")
        elif device.pcie_width is None and is_share(device, details):
            yield not_applicable(device.subject, "a vGPU does not show the link of its board")
        else:
            yield from _judge(device)


def _judge(device: Accelerator) -> Iterator[Verdict]:
    part = part_of(device)
    width = (part.pcie_width if part else None) or device.pcie_width_max
    generation, most = (part.pcie_generation if part else None), device.pcie_generation_max
    # Slots of laptops and desktops have fewer lanes by design.
    severity = None if for_servers(device) else Severity.INFO
    if device.pcie_width is None or width is None:
        if device.vendor in TELLING and for_servers(device):
            yield unknown(device.subject, "the tool does not say how wide its PCIe link is")
    elif device.pcie_width < width:
        owner = "the part" if part else "its slot"
        seen = f"PCIe x{device.pcie_width}, {owner} has x{width}"
        yield failed(device.subject, seen, severity=severity)
    elif generation and most is None:
        seen = f"PCIe x{device.pcie_width}; the tool does not say which generation"
        yield unknown(device.subject, seen)
    elif generation and most is not None and most < generation:
        yield failed(device.subject, f"PCIe generation {most} at most, the part has {generation}")
    else:
        known = f", generation {most} at most" if most else ""
        yield passed(device.subject, f"PCIe x{device.pcie_width}{known}")
