"""One forgotten line of debugging turns RDMA off for everybody."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.network import NcclSetting
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes import nccl_settings

# NCCL's environment variables that switch a fast path off, and the values that do it.
OFF = {
    "NCCL_IB_DISABLE": ("1", "fabric traffic goes over TCP"),
    "NCCL_P2P_DISABLE": ("1", "accelerators of a node talk through host memory"),
    "NCCL_SHM_DISABLE": ("1", "processes of a node talk over the network"),
    "NCCL_NVLS_ENABLE": ("0", "NVLink SHARP is off"),
    "NCCL_NET_GDR_LEVEL": ("LOC", "GPUDirect RDMA is off"),
    "NCCL_P2P_LEVEL": ("LOC", "accelerators of a node talk through host memory"),
    "NCCL_NET": ("Socket", "fabric traffic goes over TCP"),
    "NCCL_DMABUF_ENABLE": ("0", "GPUDirect RDMA has only the deprecated peer-memory module"),
}


@check(
    "network.nccl-paths-open",
    asks="Does the node's configuration leave NCCL's fast paths on?",
    severity=Severity.HIGH,
    why="A system-wide NCCL_IB_DISABLE=1 or the like makes every job slow, and nothing says so.",
    fix="Remove the line; users who debug can set it in their own job.",
    see=["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"],
    reproduce="grep -rE 'NCCL_.*(DISABLE|LEVEL|ENABLE)' /etc/nccl.conf /etc/environment "
    "/etc/profile.d",
    plants=[
        plant(
            Edit(nccl_settings.CONF.source, path="/etc/nccl.conf", new="NCCL_IB_DISABLE=1\n"),
        )
    ],
)
def nccl_paths_open(
    settings: Sequence[NcclSetting], ports: Sequence[RdmaPort]
) -> Iterator[Verdict]:
    """Look for settings that switch a path off."""
    if not ports:
        return
    found = 0
    for setting in settings:
        value, effect = OFF.get(setting.name, ("", ""))
        if value and setting.value.lower() == value.lower():
            found += 1
            yield failed(setting.name, f"{setting.path} sets it to {setting.value}: {effect}")
    if not found:
        yield passed(HOST, "no system-wide setting switches a path of NCCL off")
