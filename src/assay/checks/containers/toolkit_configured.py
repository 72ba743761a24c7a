"""An engine has to be told about the NVIDIA runtime or about CDI devices."""

import re
from collections.abc import Iterator, Sequence

from assay.checks.software.roles import NVIDIA, accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.containers import (
    ContainerdSetting,
    CrioSetting,
    DockerSetting,
    EngineSetting,
)
from assay.model.facts.exposure import PathMode
from assay.model.facts.pci import PciDevice
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.containers import DOCKER

RUNTIME = re.compile(r"(?:^|\.)runtimes\.nvidia[\w-]*(?:\.|$)")
CDI_ON = ("features.cdi", "enable_cdi", "crio.runtime.enable_cdi")
FOLDERS = ("/etc/cdi/", "/var/run/cdi/")


@check(
    "containers.toolkit-configured",
    asks="Does each container engine know how to give GPUs to containers?",
    severity=Severity.MEDIUM,
    why="An installed toolkit does nothing until the engine has its runtime or CDI devices.",
    fix="Run `nvidia-ctk runtime configure --runtime=docker` (or containerd, crio) and restart "
    "the engine.",
    see=[
        "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"
    ],
    reproduce="grep -i nvidia /etc/docker/daemon.json /etc/containerd/config.toml; ls /etc/cdi",
    plants=[
        plant(
            Edit(
                DOCKER.source,
                path="/etc/docker/daemon.json",
                new='{"log-driver": "json-file"}\n',
            )
        )
    ],
)
def toolkit_configured(
    devices: Sequence[PciDevice],
    docker: Sequence[DockerSetting],
    containerd: Sequence[ContainerdSetting],
    crio: Sequence[CrioSetting],
    paths: Sequence[PathMode] | None,
) -> Iterator[Verdict]:
    """The NVIDIA runtime or CDI in the settings of each engine."""
    if not accelerators(devices, NVIDIA):
        return
    specified = sorted(
        path.path for path in paths or () if path.path.startswith(FOLDERS) and "nvidia" in path.path
    )
    # Docker ships containerd with its Kubernetes part turned off: nobody asks that one for GPUs.
    if any(s.name == "disabled_plugins" and s.value.endswith("cri") for s in containerd):
        containerd = ()
    engines: tuple[tuple[str, Sequence[EngineSetting]], ...] = (
        ("docker", docker), ("containerd", containerd), ("cri-o", crio),
    )  # fmt: skip
    for engine, settings in engines:
        if settings:
            yield _judge(engine, settings, specified)


def _judge(engine: str, settings: Sequence[EngineSetting], specified: list[str]) -> Verdict:
    default = next(
        (s.value for s in settings if s.name.rpartition(".")[2] in
         ("default-runtime", "default_runtime_name", "default_runtime")), ""
    )  # fmt: skip
    known = next((s for s in settings if RUNTIME.search(s.name.replace('"', ""))), None)
    if known or default.startswith("nvidia"):
        path = known.path if known else settings[0].path
        return passed(engine, f"has the NVIDIA runtime ({path}); default is {default or 'runc'}")
    cdi = any(
        s.value == "true" and (s.name in CDI_ON or s.name.endswith(".enable_cdi")) for s in settings
    )
    if specified and cdi:
        return passed(engine, f"CDI is on, with {specified[0]}")
    if specified:
        return unknown(
            engine, f"{specified[0]} is there, and no setting says that the engine uses CDI"
        )
    return failed(engine, "has neither an NVIDIA runtime nor CDI specifications in its settings")
