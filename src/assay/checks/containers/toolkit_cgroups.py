"""Without device cgroups, a container reaches GPUs that it was not given."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.containers import ToolkitSetting
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.containers import TOOLKIT

SETTING = "nvidia-container-cli.no-cgroups"
SUBJECT = "nvidia-container-toolkit"


@check(
    "containers.toolkit-cgroups",
    asks="Does the NVIDIA Container Toolkit confine a container to its own GPUs?",
    severity=Severity.MEDIUM,
    why="With no-cgroups, a container of root that makes the device nodes itself opens any GPU "
    "of the node.",
    fix="Set `no-cgroups = false` for engines that run as root; rootless ones need a "
    "configuration of their own.",
    see=[
        "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"
    ],
    reproduce="grep no-cgroups /etc/nvidia-container-runtime/config.toml",
    plants=[
        plant(
            Edit(
                TOOLKIT.source,
                path="/etc/nvidia-container-runtime/config.toml",
                old="#no-cgroups = false",
                new="no-cgroups = true",
            )
        )
    ],
)
def toolkit_cgroups(settings: Sequence[ToolkitSetting]) -> Iterator[Verdict]:
    """The setting of each configuration file of the toolkit; its default is to confine."""
    for path in dict.fromkeys(setting.path for setting in settings):
        said = next((s.value for s in settings if s.name == SETTING and s.path == path), "false")
        if said == "false":
            yield passed(SUBJECT, f"no-cgroups is not set ({path})")
        else:
            yield failed(SUBJECT, f"no-cgroups is {said} ({path})")
