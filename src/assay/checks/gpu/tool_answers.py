"""An error banner where values should be is a fault, whatever it says after it."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\n"
NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
    "the latest NVIDIA driver is installed and running.\n"
)
LOST = "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error\n"
BROKEN = ("driver-library-mismatch", "driver-not-loaded", "device-lost", "no-library")


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
    errors: Sequence[VendorToolError], devices: Sequence[Accelerator]
) -> Iterator[Verdict]:
    """Every error that a tool printed, or what it listed."""
    for error in errors:
        code = "" if error.exit_code is None else f" (exit {error.exit_code})"
        said = f"{error.tool} says: {error.message}{code}"
        subject = error.device or HOST
        if error.kind in BROKEN:
            yield failed(subject, said)
        else:
            yield unknown(subject, said)
    if not errors and devices:
        vendors = ", ".join(sorted({device.vendor for device in devices}))
        yield passed(HOST, f"{len(devices)} accelerators answer ({vendors})")
