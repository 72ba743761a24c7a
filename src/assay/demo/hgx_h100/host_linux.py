"""The Linux side of the H100 node: two Xeon Platinum 8480C, 2 TiB of memory."""

from collections.abc import Iterator

from assay.demo.linux_node import Node
from assay.model.evidence import Capture

NVIDIA = "580.173.02"
MLNX = "24.10-4.1.4"

NODE = Node(
    release="6.8.0-134-generic",
    build="#134~22.04.1-Ubuntu SMP PREEMPT_DYNAMIC Tue Feb 17 11:06:02 UTC 2026",
    compiler="buildd@lcy02-amd64-031, x86_64-linux-gnu-gcc-12 (Ubuntu 12.3.0) 12.3.0",
    cmdline="BOOT_IMAGE=/boot/vmlinuz-6.8.0-134-generic root=/dev/md0 ro intel_iommu=on iommu=pt "
    "numa_balancing=disable init_on_alloc=0 console=tty0 console=ttyS0,115200n8",
    vendor="GenuineIntel",
    processor="Intel(R) Xeon(R) Platinum 8480C",
    family="cpu family\t: 6\nmodel\t\t: 143",
    cores=56,
    driver="intel_pstate",
    memory_kib=2113413212,
    vulnerabilities={
        "gather_data_sampling": "Not affected",
        "itlb_multihit": "Not affected",
        "l1tf": "Not affected",
        "mds": "Not affected",
        "meltdown": "Not affected",
        "mmio_stale_data": "Not affected",
        "reg_file_data_sampling": "Not affected",
        "retbleed": "Not affected",
        "spec_rstack_overflow": "Not affected",
        "spec_store_bypass": "Mitigation: Speculative Store Bypass disabled via prctl",
        "spectre_v1": "Mitigation: usercopy/swapgs barriers and __user pointer sanitization",
        "spectre_v2": "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional; RSB filling; "
        "PBRSB-eIBRS: SW sequence; BHI: BHI_DIS_S",
        "srbds": "Not affected",
        "tsx_async_abort": "Not affected",
    },
    firmware={
        "sys_vendor": "Supermicro",
        "product_name": "SYS-821GE-TNHR",
        "board_vendor": "Supermicro",
        "board_name": "X13DEG-OAD",
        "bios_vendor": "American Megatrends International, LLC.",
        "bios_version": "2.6",
        "bios_date": "09/12/2025",
        "chassis_vendor": "Supermicro",
    },
    iommus=tuple(f"dmar{n}" for n in range(16)),
    edac="Intel_SPR Socket#0 IMC#0",
    modules={
        "nvidia": (NVIDIA, 512),
        "nvidia_uvm": (NVIDIA, 16),
        "nvidia_modeset": (NVIDIA, 1),
        "nvidia_drm": (NVIDIA, 0),
        "nvidia_peermem": (NVIDIA, 0),
        "gdrdrv": ("2.5.1", 0),
        "mlx5_core": (MLNX, 2),
        "mlx5_ib": (MLNX, 8),
        "ib_core": (MLNX, 9),
        "ib_uverbs": (MLNX, 2),
        "mlx_compat": (MLNX, 11),
        "xfs": ("", 1),
        "raid0": ("", 1),
        "raid1": ("", 1),
    },
    services=("nvidia-dcgm", "nvidia-fabricmanager", "nvidia-persistenced"),
)


def captures() -> Iterator[Capture]:
    """Everything but the PCI tree and the settings."""
    yield from NODE.captures()
