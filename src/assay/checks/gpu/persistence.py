"""Without persistence the driver unloads a GPU's state whenever nobody looks."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import answering, for_servers
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.persistence",
    asks="Does the driver keep every GPU initialised?",
    severity=Severity.LOW,
    why="Without persistence each job start waits seconds for the GPU, and error counts are lost.",
    fix="Run nvidia-persistenced (systemctl enable --now nvidia-persistenced).",
    see=["https://docs.nvidia.com/deploy/driver-persistence/index.html"],
    reproduce="nvidia-smi --query-gpu=index,persistence_mode --format=csv",
    plants=[
        plant(
            Edit(XML.source, old="<persistence_mode>Enabled<", new="<persistence_mode>Disabled<")
        ),
    ],
)
def persistence(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """NVIDIA's persistence mode; other makers have none, and desktops do without."""
    for device in answering(devices):
        if device.vendor != "nvidia" or not for_servers(device):
            continue
        if device.persistence:
            yield passed(device.subject, "persistence is on")
        elif device.persistence is False:
            yield failed(device.subject, "persistence is off")
        else:
            yield unknown(device.subject, "the tool does not say whether persistence is on")
