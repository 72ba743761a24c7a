"""The Linux side of the MI300X node: two EPYC 9654, 2.3 TB of memory."""

from collections.abc import Iterator

from assay.demo.hosts import pack
from assay.demo.linux_node import Node
from assay.model.evidence import Capture
from assay.probes import sysctl

AMDGPU = "6.14.14"

NODE = Node(
    release="6.8.0-134-generic",
    build="#134~22.04.1-Ubuntu SMP PREEMPT_DYNAMIC Tue Feb 17 11:06:02 UTC 2026",
    compiler="buildd@lcy02-amd64-044, x86_64-linux-gnu-gcc-12 (Ubuntu 12.3.0) 12.3.0",
    cmdline="BOOT_IMAGE=/boot/vmlinuz-6.8.0-134-generic root=/dev/md0 ro amd_iommu=on iommu=pt "
    "pci=realloc=off numa_balancing=disable console=tty0",
    vendor="AuthenticAMD",
    processor="AMD EPYC 9654 96-Core Processor",
    family="cpu family\t: 25\nmodel\t\t: 17",
    cores=96,
    driver="acpi-cpufreq",
    memory_kib=2377911084,
    vulnerabilities={
        "gather_data_sampling": "Not affected",
        "itlb_multihit": "Not affected",
        "l1tf": "Not affected",
        "mds": "Not affected",
        "meltdown": "Not affected",
        "mmio_stale_data": "Not affected",
        "reg_file_data_sampling": "Not affected",
        "retbleed": "Not affected",
        "spec_rstack_overflow": "Mitigation: Safe RET",
        "spec_store_bypass": "Mitigation: Speculative Store Bypass disabled via prctl",
        "spectre_v1": "Mitigation: usercopy/swapgs barriers and __user pointer sanitization",
        "spectre_v2": "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional; STIBP: always-on; "
        "RSB filling; PBRSB-eIBRS: Not affected; BHI: Not affected",
        "srbds": "Not affected",
        "tsx_async_abort": "Not affected",
    },
    firmware={
        "sys_vendor": "Supermicro",
        "product_name": "AS-8125GS-TNMR2",
        "board_vendor": "Supermicro",
        "board_name": "H13DSG-OM",
        "bios_vendor": "American Megatrends International, LLC.",
        "bios_version": "3.5",
        "bios_date": "08/21/2025",
        "chassis_vendor": "Supermicro",
    },
    iommus=tuple(f"ivhd{n}" for n in range(8)),
    edac="F19_M10h",
    modules={
        "amdgpu": (AMDGPU, 128),
        "amdttm": (AMDGPU, 1),
        "amdkcl": (AMDGPU, 3),
        "mlx5_core": ("24.10-4.1.4", 1),
        "mlx5_ib": ("24.10-4.1.4", 8),
        "ib_core": ("24.10-4.1.4", 9),
        "ib_uverbs": ("24.10-4.1.4", 2),
        "xfs": ("", 1),
        "raid0": ("", 1),
        "raid1": ("", 1),
    },
    services=("gpuagent",),
)


def captures() -> Iterator[Capture]:
    """Everything but the PCI tree."""
    yield from NODE.captures()
    yield pack(sysctl.SETTINGS, {sysctl.PREFIX + k: v + "\n" for k, v in SETTINGS.items()})


SETTINGS = {
    "kernel/perf_event_paranoid": "1",
    "kernel/kptr_restrict": "0",
    "kernel/dmesg_restrict": "0",
    "kernel/unprivileged_bpf_disabled": "2",
    "kernel/numa_balancing": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/core_pattern": "|/usr/share/apport/apport -p%p -s%s -c%c -d%d -P%P -u%u -g%g -- %E",
    "kernel/randomize_va_space": "2",
    "vm/swappiness": "10",
    "vm/zone_reclaim_mode": "0",
    "vm/max_map_count": "65530",
    "vm/overcommit_memory": "0",
    "fs/file-max": "9223372036854775807",
    "fs/suid_dumpable": "2",
    "user/max_user_namespaces": "8254868",
}
