"""A GPU that answers with an error for its values has left the service."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator, VendorToolError
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.none-lost",
    asks="Does every accelerator answer for itself?",
    severity=Severity.CRITICAL,
    why="A lost GPU (ERR!, 'GPU is lost') hangs the jobs that hold it and fails those that get it.",
    fix="Drain the node and reboot it; a GPU that is lost again is replaced.",
    see=[NVML, "https://docs.nvidia.com/deploy/xid-errors/index.html"],
    reproduce="nvidia-smi --query-gpu=index,name,pstate,temperature.gpu --format=csv",
    plants=[
        plant(
            Edit(XML.source, old="<gpu_temp>32 C</gpu_temp>",
                 new="<gpu_temp>GPU is lost</gpu_temp>"),
            Edit(XML.source, old="<product_name>NVIDIA H100 80GB HBM3</product_name>",
                 new="<product_name>ERR!</product_name>"),
            name="lost",
        ),
        plant(
            Edit(XML.source, old="<average_power_draw>69.41 W<",
                 new="<average_power_draw>Unknown Error<"),
            name="one value is an error",
        ),
    ],
)  # fmt: skip
def none_lost(
    devices: Sequence[Accelerator], errors: Sequence[VendorToolError] | None
) -> Iterator[Verdict]:
    """Whether the tool put an error in place of a device's values, or of a whole device."""
    for device in devices:
        where = f" ({device.bdf})" if device.bdf else ""
        if device.fault:
            # one that still tells its name has not left the bus
            severity = Severity.HIGH if device.product else None
            said = f"in place of values{where}: {device.fault}"
            yield failed(device.subject, said, severity=severity)
        elif device.product:
            yield passed(device.subject, f"{device.product} answers")
        else:
            yield unknown(device.subject, f"the tool names no product for it{where}")
    faulty = [device for device in devices if device.fault]
    for error in errors or ():
        named = any(d.bdf == error.device or d.fault == error.message for d in faulty)
        if error.kind == "device-lost" and not named:
            said = f"{error.tool} leaves out a device that it lost: {error.message}"
            yield failed(error.device or HOST, said)
