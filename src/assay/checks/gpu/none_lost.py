"""A GPU that answers with an error for its values has left the service."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
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
        ),
    ],
)  # fmt: skip
def none_lost(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Whether the tool put an error in place of a device's values."""
    for device in devices:
        if device.fault:
            yield failed(device.subject, f"the tool prints {device.fault!r} for its values")
        elif device.product:
            yield passed(device.subject, f"{device.product} answers")
        else:
            yield unknown(device.subject, "the tool names no product for it")
