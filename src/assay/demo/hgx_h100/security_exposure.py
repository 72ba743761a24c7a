"""Devices of the H100 node with their permissions, and its locks."""

from collections.abc import Iterator

from assay.demo.hosts import pack
from assay.model.evidence import Capture
from assay.probes import device_exposure as exposure
from assay.probes import device_exposure_locks as locks

COMMON = {
    "/dev/null": "c 0666 0 0 1:3 0",
    "/dev/zero": "c 0666 0 0 1:5 0",
    "/dev/mem": "c 0640 0 15 1:1 0",
    "/dev/port": "c 0640 0 15 1:4 0",
    "/dev/kmsg": "c 0644 0 0 1:11 0",
    "/dev/kvm": "c 0660 0 108 10:232 0",
    "/dev/fuse": "c 0666 0 0 10:229 0",
    "/dev/ipmi0": "c 0600 0 0 240:0 0",
    "/dev/nvme0": "c 0600 0 0 241:0 0",
    "/dev/nvme0n1": "b 0660 0 6 259:0 0",
    "/dev/nvme1": "c 0600 0 0 241:1 0",
    "/dev/nvme1n1": "b 0660 0 6 259:1 0",
    "/dev/md0": "b 0660 0 6 9:0 0",
    "/dev/infiniband/rdma_cm": "c 0666 0 0 10:123 0",
    "/dev/infiniband/uverbs0": "c 0666 0 0 231:192 0",
    "/dev/infiniband/umad0": "c 0600 0 0 231:0 0",
}
INTERFACES = {"/sys/class/net/lo": "l 0777 0 0 - 0"}
LOCKS = {
    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c": (
        "\x06\x00\x00\x00\x01"
    ),
    "/sys/kernel/security/lockdown": "none [integrity] confidentiality\n",
    "/sys/module/apparmor/parameters/enabled": "Y\n",
}
NAMESPACES = {
    "/proc/sys/kernel/unprivileged_userns_clone": "1\n",
    "/proc/sys/user/max_user_namespaces": "8252014\n",
}
NVIDIA = {
    **{f"/dev/nvidia{gpu}": f"c 0666 0 0 195:{gpu} 0" for gpu in range(8)},
    "/dev/nvidiactl": "c 0666 0 0 195:255 0",
    "/dev/nvidia-uvm": "c 0666 0 0 507:0 0",
    "/dev/nvidia-nvswitchctl": "c 0666 0 0 506:255 0",
    "/dev/gdrdrv": "c 0666 0 0 505:0 0",
}


def captures() -> Iterator[Capture]:
    """Listings as root sees them."""
    yield pack(exposure.DEVICES, {**COMMON, **NVIDIA})
    yield pack(exposure.INTERFACES, INTERFACES)
    yield pack(locks.LOCKS, LOCKS)
    yield pack(locks.NAMESPACES, NAMESPACES)
