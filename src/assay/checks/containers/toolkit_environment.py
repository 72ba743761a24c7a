"""On Kubernetes, an environment variable in an image can take every GPU of the node."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import kubernetes
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.containers import ToolkitSetting
from assay.model.facts.software import Software
from assay.model.finding import Verdict, failed, not_applicable, passed
from assay.model.outcome import Severity
from assay.probes.containers import TOOLKIT

SETTING = "accept-nvidia-visible-devices-envvar-when-unprivileged"
SUBJECT = "nvidia-container-toolkit"


@check(
    "containers.toolkit-environment",
    asks="Are GPUs given by the scheduler only, not by an environment variable?",
    severity=Severity.MEDIUM,
    why="A pod that sets NVIDIA_VISIBLE_DEVICES=all sees the GPUs of all other pods on the node, "
    "whatever it asked the scheduler for.",
    fix=f"Set `{SETTING} = false` in config.toml, and let the device plugin use volume mounts "
    "or CDI.",
    see=["https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/cdi.html"],
    reproduce=f"grep {SETTING} /etc/nvidia-container-runtime/config.toml",
    plants=[
        plant(
            Edit(
                TOOLKIT.source,
                path="/etc/nvidia-container-runtime/config.toml",
                old=f"{SETTING} = false",
                new=f"#{SETTING} = true",
            ),
            Edit("kubelet --version", new="Kubernetes v1.32.4\n", exit_code=0),
        )
    ],
)
def toolkit_environment(
    settings: Sequence[ToolkitSetting], software: Sequence[Software] | None
) -> Iterator[Verdict]:
    """The setting of each configuration file of the toolkit; its default is to accept."""
    for path in dict.fromkeys(setting.path for setting in settings):
        said = next((s.value for s in settings if s.name == SETTING and s.path == path), "")
        if said == "false":
            yield passed(SUBJECT, f"{SETTING} is false ({path})")
        elif kubernetes(software):
            how = said or "at its default, which accepts the variable"
            yield failed(SUBJECT, f"{SETTING} is {how} ({path})")
        else:
            yield not_applicable(SUBJECT, "no node of Kubernetes")
