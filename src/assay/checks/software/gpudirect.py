"""Without GPUDirect RDMA, every message crosses the CPU's memory twice."""

import re
from collections.abc import Iterator, Sequence

from assay.checks.software.roles import NO_FABRIC, NVIDIA, accelerators, fabric_ports
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.evidence import Status
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import Kernel, KernelModule
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes import cuda
from assay.probes.modules import MODULES, VERSIONS

PEER_MODULES = ("nvidia_peermem", "nv_peer_mem", "efa_nv_peermem")
FIRST_KERNEL = (5, 12)  # the RDMA core takes DMA buffers since then
SEE = "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-rdma.html"
_RELEASE = re.compile(r"(\d+)\.(\d+)")


@check(
    "software.gpudirect-rdma",
    asks="Can the fabric read and write GPU memory directly?",
    severity=Severity.HIGH,
    why="NCCL falls back to copies through host memory without a word, at a fraction of the "
    "fabric's bandwidth.",
    fix="Use the open kernel modules on Linux 5.12 or later (DMA-BUF), or load nvidia_peermem.",
    see=[SEE, "https://docs.nvidia.com/cuda/gpudirect-rdma/"],
    reproduce="head -1 /proc/driver/nvidia/version; uname -r; lsmod | grep peermem",
    plants=[
        plant(
            Edit(
                cuda.MODULE.source,
                path="/proc/driver/nvidia/version",
                old="NVIDIA UNIX Open Kernel Module for x86_64",
                new="NVIDIA UNIX x86_64 Kernel Module",
            ),
            Edit(MODULES.source, path="/proc/modules", old="nvidia_peermem ", new="dummy "),
            Edit(VERSIONS.source, status=Status.ABSENT),
        )
    ],
)
def gpudirect_rdma(
    devices: Sequence[PciDevice],
    modules: Sequence[KernelModule],
    drivers: Sequence[NvidiaModule],
    kernels: Sequence[Kernel] | None,
) -> Iterator[Verdict]:
    """Either way in is enough: DMA buffers, or a peer-memory module."""
    if not accelerators(devices, NVIDIA) or not fabric_ports(devices):
        yield not_applicable(HOST, NO_FABRIC)
        return
    if not modules or not drivers:
        yield unknown(HOST, "no loaded module was seen, so neither was the NVIDIA driver")
        return
    ways = [module.name for module in modules if module.name in PEER_MODULES]
    release = next((kernel.release for kernel in kernels or ()), "")
    number = _RELEASE.match(release)
    if drivers[0].open_source and number is None:
        yield unknown(HOST, f"the kernel's release is {release!r}")
        return
    new = number is not None and (int(number[1]), int(number[2])) >= FIRST_KERNEL
    if drivers[0].open_source and new:
        ways.insert(0, f"DMA-BUF (open module {drivers[0].version}, kernel {release})")
    if ways:
        yield passed(HOST, "by " + " and ".join(ways))
    elif drivers[0].open_source:
        yield failed(HOST, f"kernel {release} is older than 5.12, and no peer-memory module")
    else:
        yield failed(
            HOST, f"the module {drivers[0].version} is not the open one, and none of "
            f"{', '.join(PEER_MODULES)} is loaded"
        )  # fmt: skip
