"""A wrong NCCL_IB_GID_INDEX is the classic reason for a RoCE job that hangs at start."""

from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.network import NcclSetting
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import nccl_settings

NAME = "NCCL_IB_GID_INDEX"


@check(
    "fabric.nccl-gid-index",
    asks="Does the node's NCCL configuration choose the RoCE v2 address?",
    severity=Severity.HIGH,
    why="A fixed index that is RoCE v1, link-local or empty on any rail hangs every job. Unset, "
    "NCCL before 2.21 takes index 0.",
    fix=f"Set {NAME}=3 in /etc/nccl.conf on RoCE v2 nodes, after a look at show_gids.",
    see=["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"],
    reproduce=f"grep -r {NAME} /etc/nccl.conf /etc/environment /etc/profile.d; show_gids",
    plants=[
        plant(
            Edit(nccl_settings.CONF.source, path="/etc/nccl.conf", old="INDEX=3", new="INDEX=1"),
            host="mi300x",
            name="the link-local address",
        ),
        plant(
            Edit(nccl_settings.CONF.source, path="/etc/nccl.conf", old=f"{NAME}=3", new=""),
            host="mi300x",
            name="not set",
        ),
    ],
)
def nccl_gid_index(ports: Sequence[RdmaPort], settings: Sequence[NcclSetting]) -> Iterator[Verdict]:
    """Look the configured index up in the GID table of every RoCE rail."""
    rails = [port for port in parts.rails(ports) if port.roce and parts.active(port)]
    if not rails:
        return
    found = [setting for setting in settings if setting.name == NAME]
    if not found:
        text = f"{NAME} is set nowhere: NCCL before 2.21 takes index 0"
        yield failed(HOST, text, severity=Severity.LOW)
    for setting in found:
        if not setting.value.isascii() or not setting.value.isdigit():
            yield failed(HOST, f"{setting.path} sets {NAME}={setting.value!r}, expected a number")
            continue
        for port in rails:
            yield _look_up(port, int(setting.value[:6]), setting.path)


def _look_up(port: RdmaPort, index: int, path: str) -> Verdict:
    gids = {gid.index: gid for gid in port.gids or ()}
    if port.gids is None or (index not in gids and index > max(gids, default=-1) and index > 15):
        return unknown(port.subject, f"{path} sets {NAME}={index}, which was not read")
    gid = gids.get(index)
    if gid is None:
        return failed(port.subject, f"{path} sets {NAME}={index}, which is empty")
    if gid.type.lower() == "roce v2" and not gid.gid.lower().startswith("fe80:"):
        return passed(port.subject, f"{NAME}={index} is {gid.type}")
    kind = gid.type or "of unknown type"
    local = " link-local" if gid.gid.lower().startswith("fe80:") else ""
    return failed(port.subject, f"{path} sets {NAME}={index}, which is{local} {kind}")
