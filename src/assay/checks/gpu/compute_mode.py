"""A GPU in prohibited mode takes no job."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import NVML, answering
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.compute-mode",
    asks="May programs use every GPU?",
    severity=Severity.HIGH,
    why="In prohibited mode no CUDA program can start; in exclusive mode only one process can, so "
    "that a second rank on the same GPU fails.",
    fix="Run `nvidia-smi -c DEFAULT` as root, and look for what sets the mode at boot.",
    see=[NVML],
    reproduce="nvidia-smi --query-gpu=index,compute_mode --format=csv",
    plants=[
        plant(
            Edit(XML.source, old="<compute_mode>Default<", new="<compute_mode>Prohibited<"),
            name="prohibited",
        ),
        plant(
            Edit(XML.source, old="<compute_mode>Default<", new="<compute_mode>Exclusive_Process<"),
            name="exclusive",
        ),
    ],
)
def compute_mode(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """NVIDIA's compute mode; an unlisted word is unknown."""
    for device in answering(devices):
        if device.vendor != "nvidia":
            continue
        mode = device.compute_mode.strip().lower().replace("_", " ")
        if mode == "default":
            yield passed(device.subject, "compute mode is default")
        elif mode == "prohibited":
            yield failed(device.subject, "compute mode is prohibited")
        elif mode.startswith("exclusive"):
            seen = f"compute mode is {device.compute_mode}: one process at a time"
            yield failed(device.subject, seen, severity=Severity.LOW)
        else:
            told = f"compute mode is {device.compute_mode!r}" if mode else "no compute mode is told"
            yield unknown(device.subject, told)
