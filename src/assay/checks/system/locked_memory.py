"""RDMA pins memory, and the default limit pins next to nothing."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators, network_adapters
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.limits import UNLIMITED, ResourceLimit
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.limits import LIMITS

GIB = 1 << 30
ENOUGH = 64 * GIB  # below this, registration of large buffers is known to fail (rating method, 4)
ROW = "Max locked memory         "


@check(
    "system.locked-memory",
    asks="May a session lock as much memory as it needs?",
    severity=Severity.MEDIUM,
    why="NCCL, MPI and UCX register buffers with the adapter; with a small limit jobs fail with "
    "'Cannot allocate memory' or fall back to TCP.",
    fix="Set memlock to unlimited in /etc/security/limits.d, in the service units of slurmd, "
    "containerd and docker (LimitMEMLOCK=infinity), and with --ulimit memlock=-1 for containers.",
    see=[
        "https://man7.org/linux/man-pages/man2/getrlimit.2.html",
        "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
    ],
    reproduce="ulimit -l",
    plants=[
        plant(
            Edit(
                LIMITS.source,
                path="/proc/self/limits",
                old=ROW + "unlimited            unlimited            bytes",
                new=ROW + "8388608              8388608              bytes",
            )
        ),
    ],
)
def locked_memory(
    limits: Sequence[ResourceLimit], devices: Sequence[PciDevice]
) -> Iterator[Verdict]:
    """Read the limit of the session that collected."""
    fabric = [d for d in network_adapters(devices) if d.class_id.startswith("0207")]
    if not accelerators(devices) and not fabric:
        return
    limit = next((found for found in limits if found.name == "locked memory"), None)
    if limit is None:
        yield unknown(HOST, "the limit of locked memory was not read")
    elif limit.soft == UNLIMITED:
        yield passed(HOST, "locked memory is unlimited")
    elif limit.soft >= ENOUGH:
        yield passed(HOST, f"locked memory is limited to {limit.soft / GIB:.0f} GiB")
    else:
        hard = "unlimited" if limit.hard == UNLIMITED else f"{limit.hard / GIB:.3g} GiB"
        said = f"limited to {limit.soft / GIB:.3g} GiB (hard limit {hard})"
        yield failed(HOST, f"locked memory is {said}, unlimited is wanted")
