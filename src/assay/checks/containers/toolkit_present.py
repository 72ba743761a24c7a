"""Containers see NVIDIA GPUs through the NVIDIA Container Toolkit."""

from collections.abc import Iterator, Sequence

from assay.checks.containers.runtime import ENGINES
from assay.checks.software.roles import NO_NVIDIA, NVIDIA, accelerators, doubtful, versions
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.evidence import Status
from assay.model.facts.pci import PciDevice
from assay.model.facts.software import Software
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.software_libraries import LIBRARIES

BUILT_IN = ("apptainer", "singularity-ce")  # these bring the driver in by themselves


@check(
    "containers.toolkit-present",
    asks="Is the NVIDIA Container Toolkit installed beside the container engine?",
    severity=Severity.MEDIUM,
    why="Without it, `docker run --gpus all`, Pyxis and Kubernetes pods see no GPU.",
    fix="Install nvidia-container-toolkit from NVIDIA's repository, or let the GPU Operator do it.",
    see=[
        "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"
    ],
    reproduce="nvidia-ctk --version; nvidia-container-cli --version",
    plants=[
        plant(
            Edit("nvidia-ctk --version", status=Status.ABSENT),
            Edit(LIBRARIES.source, status=Status.ABSENT),
        )
    ],
)
def toolkit_present(
    devices: Sequence[PciDevice], software: Sequence[Software]
) -> Iterator[Verdict]:
    """The toolkit, or its library, by the version that it states."""
    engines = [t for t in software if t.component in ENGINES and t.component not in BUILT_IN]
    if not accelerators(devices, NVIDIA):
        yield not_applicable(HOST, NO_NVIDIA)
        return
    if not engines:
        return
    found = versions(software, "nvidia-container-toolkit", "libnvidia-container")
    if found:
        yield passed(HOST, found)
    elif doubt := doubtful(software, "nvidia-container-toolkit", "libnvidia-container"):
        yield unknown(HOST, doubt)
    else:
        names = ", ".join(sorted({engine.component for engine in engines}))
        yield failed(HOST, f"{names} without nvidia-ctk and libnvidia-container")
