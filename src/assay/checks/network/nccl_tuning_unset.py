"""NCCL tunes itself by size and topology; a fixed choice is right for one size at most."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.network import NcclSetting
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes import nccl_settings

TUNING = ("NCCL_MIN_NCHANNELS", "NCCL_PROTO", "NCCL_ALGO")


@check(
    "network.nccl-tuning-unset",
    asks="Does the node leave NCCL's algorithm, protocol and channels to NCCL?",
    severity=Severity.MEDIUM,
    why="A forced algorithm, protocol or number of channels flatters one benchmark size and "
    "costs bandwidth, memory or correctness at the others, for every user of the node.",
    fix="Remove NCCL_ALGO, NCCL_PROTO and NCCL_MIN_NCHANNELS from system-wide configuration.",
    see=["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"],
    reproduce="grep -rE 'NCCL_(ALGO|PROTO|MIN_NCHANNELS)' /etc/nccl.conf /etc/environment "
    "/etc/profile.d",
    plants=[
        plant(
            Edit(
                nccl_settings.CONF.source,
                path="/etc/nccl.conf",
                new="NCCL_ALGO=Ring\nNCCL_PROTO=Simple\n",
            )
        ),
        plant(
            Edit(
                nccl_settings.ENVIRONMENT.source,
                new="/etc/environment:NCCL_MIN_NCHANNELS=32\n",
                exit_code=0,
            ),
            name="in /etc/environment",
        ),
    ],
)
def nccl_tuning_unset(
    settings: Sequence[NcclSetting], ports: Sequence[RdmaPort]
) -> Iterator[Verdict]:
    """Look for the three settings in the files that hold for everybody."""
    if not ports and not settings:
        return  # a machine without a fabric has nothing to tune
    found = [setting for setting in settings if setting.name in TUNING and setting.value]
    for setting in found:
        yield failed(setting.name, f"{setting.path} sets it to {setting.value!r}, expected unset")
    if not found:
        yield passed(HOST, f"none of {', '.join(TUNING)} is set system-wide")
