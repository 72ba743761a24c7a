"""Data loaders and NCCL hand tensors over in /dev/shm."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.memory import Memory
from assay.model.facts.pci import PciDevice
from assay.model.facts.storage import FileSystemUsage
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.filesystems import STATFS

POINT = "/dev/shm"  # noqa: S108
GIB = 1 << 30
LEAST = GIB  # rating method, section 4; a container's default of 64 MiB is the usual culprit
SHARE = 0.25  # the kernel's own default is half of memory


@check(
    "system.shared-memory",
    asks="Is /dev/shm large enough for data loaders and NCCL?",
    severity=Severity.MEDIUM,
    why="With a small /dev/shm PyTorch's loaders die with a bus error and NCCL fails to start.",
    fix="Mount it with size=50% on the host; run containers with --shm-size or --ipc=host, pods "
    "with an emptyDir of medium Memory at /dev/shm.",
    see=[
        "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
        "https://docs.pytorch.org/docs/stable/multiprocessing.html",
    ],
    reproduce="df -h /dev/shm",
    plants=[
        plant(
            Edit(
                STATFS.source, path=POINT, new="tmpfs 4096 16384 16384 16384 257000000 256999990\n"
            )
        ),
    ],
)
def shared_memory(
    usage: Sequence[FileSystemUsage], memory: Sequence[Memory], devices: Sequence[PciDevice]
) -> Iterator[Verdict]:
    """Compare the size of /dev/shm with what jobs need and with memory."""
    if not accelerators(devices):
        return
    found = next((u for u in usage if u.mount_point == POINT), None)
    if found is None:
        yield failed(POINT, "it is not mounted")
        return
    if found.size is None:
        yield unknown(POINT, f"its size was not read ({found.error or 'no reason given'})")
        return
    total = max((m.total for m in memory), default=0)
    said = f"{found.size / GIB:.3g} GiB"
    if found.size < LEAST:
        yield failed(POINT, f"{said}, at least 1 GiB is wanted")
    elif total and found.size < SHARE * total:
        why = f"{said} of {total / GIB:.0f} GiB of memory; half is usual"
        yield failed(POINT, why, severity=Severity.INFO)
    else:
        yield passed(POINT, said)
