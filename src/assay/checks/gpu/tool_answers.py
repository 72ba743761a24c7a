"""An error banner where values should be is a fault, whatever it says after it."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.checks.pci.roles import accelerators
from assay.kit.accelerator import registry
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\n"
NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
    "the latest NVIDIA driver is installed and running.\n"
)
LOST = "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error\n"
# Kinds of error after which nobody can use the devices. "no-devices" and "no-permission" may be
# the way in which a job or a container was confined; anything else is not understood.
BROKEN = ("driver-library-mismatch", "driver-not-loaded", "device-lost", "no-library")
OTHER_TOOLS = ("infiniband-diags",)  # of a maker of accelerators, but about its network adapters


@check(
    "gpu.tool-answers",
    asks="Does the vendor's tool answer with values, not with an error?",
    severity=Severity.CRITICAL,
    why="When the driver and its library differ, or a GPU is lost, no job can use the GPUs and "
    "every monitor that reads the tool is blind.",
    fix="Load the driver that matches the library (reboot after an upgrade); drain a node whose "
    "GPU does not answer.",
    see=[NVML],
    reproduce="nvidia-smi; echo $?",
    plants=[
        plant(Edit(XML.source, new=MISMATCH, exit_code=18), name="driver/library mismatch"),
        plant(Edit(XML.source, new=NO_DRIVER, exit_code=9), name="driver not loaded"),
        plant(Edit(XML.source, new=LOST, exit_code=255), name="a GPU without a handle"),
    ],
)
def tool_answers(
    errors: Sequence[VendorToolError],
    devices: Sequence[Accelerator] | None,
    bus: Sequence[PciDevice] | None,
) -> Iterator[Verdict]:
    """Every error that a tool printed, or what it listed. A node without devices needs no tool."""
    judged = False
    complaints = [error for error in errors if error.tool not in OTHER_TOOLS]
    for error in complaints:
        code = "" if error.exit_code is None else f" (exit {error.exit_code})"
        said = f"{error.tool} says: {error.message}{code}"
        here = _on_bus(error.vendor, bus)
        if not here and here is not None and not error.device:
            yield not_applicable(HOST, f"{said}; the PCI bus has no such device")
            continue
        judged = True
        if error.kind in BROKEN:
            yield failed(error.device or HOST, said)
        elif error.kind == "no-devices" and here:
            yield unknown(HOST, f"{said}; {here} are on the PCI bus: is this a confined job?")
        else:
            yield unknown(error.device or HOST, said)
    if devices and not judged:
        vendors = ", ".join(sorted({device.vendor for device in devices}))
        yield passed(HOST, f"{len(devices)} accelerators answer ({vendors})")


def _on_bus(vendor: str, bus: Sequence[PciDevice] | None) -> int | None:
    """How many devices of *vendor* the bus has, of any class it sells; None when not told."""
    maker = registry.get(vendor)
    if not bus or maker is None:
        return None
    classes = (*maker.pci_classes, "0300", "0380")  # laptops and desktops have graphics chips
    mine = {
        d.bdf for d in bus if d.vendor_id == maker.pci_vendor and d.class_id.startswith(classes)
    }
    return len(mine | {d.bdf for d in accelerators(bus) if d.vendor_id == maker.pci_vendor})
