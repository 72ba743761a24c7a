"""A GPU on half its lanes moves half the data to and from the host."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, part_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.pcie-link",
    asks="Has every accelerator the PCIe width and generation of its part?",
    severity=Severity.HIGH,
    why="Half the lanes, or an older generation, halve what moves between host, network and GPU.",
    fix="Reseat the board or riser, look for PCIe errors in the kernel log, check the BIOS "
    "setting.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,pcie.link.width.current,pcie.link.gen.max --format=csv",
    plants=[
        plant(Edit(XML.source, old="<current_link_width>16x<", new="<current_link_width>8x<"),
              name="half the lanes"),
        plant(Edit(XML.source, old="<max_link_gen>5<", new="<max_link_gen>3<"),
              name="an old generation"),
    ],
)  # fmt: skip
def pcie_link(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Width now, and generation at most: an idle GPU lowers its speed by design."""
    for device in devices:
        part = part_of(device)
        width = (part.pcie_width if part else None) or device.pcie_width_max
        generation = part.pcie_generation if part else None
        if device.pcie_width is None or width is None:
            if device.vendor in ("nvidia", "amd"):
                yield unknown(device.subject, "the tool does not say how wide its PCIe link is")
        elif device.pcie_width < width:
            yield failed(device.subject, f"PCIe x{device.pcie_width}, the part has x{width}")
        elif generation and device.pcie_generation_max and device.pcie_generation_max < generation:
            seen = (
                f"PCIe generation {device.pcie_generation_max} at most, the part has {generation}"
            )
            yield failed(device.subject, seen)
        else:
            at_most = device.pcie_generation_max or device.pcie_generation
            known = f", generation {at_most}" if at_most else ""
            yield passed(device.subject, f"PCIe x{device.pcie_width}{known}")
