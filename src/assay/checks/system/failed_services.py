"""systemd knows which services gave up."""

import re
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.system import Service
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.services import UNITS

# What a GPU node cannot do its work without.
_VITAL = re.compile(
    r"(?:nvidia-(?:fabricmanager|persistenced|imex)|nv-hostengine|nvidia-dcgm|dcgm|openibd|rdma\S*"
    r"|opensm\w*|slurmd|munge|kubelet|containerd|docker|crio|k3s\S*|rke2\S*|chrony|chronyd|sshd?"
    r"|lustre\S*|weka\S*|beegfs\S*|gpfs|rpc-statd|remote-fs\S*|autofs|systemd-networkd"
    r"|NetworkManager|amd-?gpu\S*|gpuagent\S*|habanalabs\S*|systemd-fsck\S*|mdmonitor)\.service"
)

# The states of a unit in systemd's own table.
STATES = frozenset(
    {"active", "inactive", "failed", "activating", "deactivating", "reloading", "refreshing",
     "maintenance"}
)  # fmt: skip


@check(
    "system.failed-services",
    asks="Is no system service in the state failed?",
    severity=Severity.LOW,
    why="A failed fabric manager, munge or mount service breaks jobs in ways that are hard to "
    "trace back; other failed services are a sign that nobody looks.",
    fix="systemctl status UNIT and journalctl -u UNIT; mend or disable it.",
    see=["https://www.freedesktop.org/software/systemd/man/latest/systemctl.html"],
    reproduce="systemctl --failed",
    plants=[
        plant(
            Edit(
                UNITS.source,
                old="nvidia-persistenced.service            loaded    active   running",
                new="nvidia-persistenced.service            loaded    failed   failed ",
            )
        ),
    ],
)
def failed_services(services: Sequence[Service]) -> Iterator[Verdict]:
    """Look for the state failed."""
    broken = [service for service in services if service.active == "failed"]
    for service in broken:
        severity = Severity.MEDIUM if _VITAL.fullmatch(service.name) else None
        yield failed(service.name, f"it is failed ({service.sub})", severity=severity)
    strange = [service for service in services if service.active not in STATES]
    for service in strange:
        yield unknown(service.name, f"its state is {service.active!r}, which is not listed")
    if services and not broken and not strange:
        yield passed(HOST, f"none of {len(services)} services is failed")
