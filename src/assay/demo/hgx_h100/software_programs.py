"""Versions of programs, libraries and drivers of the H100 node."""

import json
from collections.abc import Iterator

from assay.demo.hgx_h100.host_linux import MLNX, NVIDIA
from assay.demo.hgx_h100.software_packages import KERNEL
from assay.demo.hosts import absent, answer, pack
from assay.model.evidence import Capture
from assay.probes import cuda, mpi, profiling, software_docker, software_libraries, software_slurm
from assay.probes import software_kernel_config as kernel_config
from assay.probes.software_versions import PROGRAMS

RUNC = "runc version 1.3.6\ncommit: v1.3.6-0-g5b1f2a47\nspec: 1.2.1\ngo: go1.25.9\n"
CONTAINERD = (
    "containerd github.com/containerd/containerd/v2 v2.3.2 "
    "1c4457e00facac03ce1d75f7b6777a7a851e5c41\n"
)
NVCC = (
    "nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2025 NVIDIA Corporation\n"
    "Built on Wed_Aug_20_01:58:59_PM_PDT_2025\n"
    "Cuda compilation tools, release 13.1, V13.1.80\n"
)
SAID = {
    "software.containerd": CONTAINERD,
    "software.runc": RUNC,
    "software.nvidia-ctk": "NVIDIA Container Toolkit CLI version 1.19.1\ncommit: 0f3c1d2e9a\n",
    "software.enroot": "3.5.0\n",
    "software.munge": "munge-0.5.18 (2026-02-10)\n",
    "software.nvcc": NVCC,
    "software.ofed": "MLNX_OFED_LINUX-" + MLNX + ".0:\n",
    "software.openmpi": "mpirun (Open MPI) 4.1.7a1\n\nReport bugs to http://www.open-mpi.org/\n",
}
CUDA = json.dumps(
    {
        "cuda": {"name": "CUDA SDK", "version": "13.1.0"},
        "cuda_nvcc": {"name": "CUDA NVCC", "version": "13.1.80"},
        "nsight_compute": {"name": "Nsight Compute", "version": "2025.4.0.12"},
    },
    indent=3,
)
LIBRARIES = {
    "/usr/lib/x86_64-linux-gnu/libnccl.so.2": "libnccl.so.2.27.7",
    "/usr/lib/x86_64-linux-gnu/libdcgm.so.4": "libdcgm.so.4.5.3",
    "/usr/lib/x86_64-linux-gnu/libnvidia-container.so.1": "libnvidia-container.so.1.19.1",
    "/usr/lib/x86_64-linux-gnu/libgdrapi.so.2": "libgdrapi.so.2.5",
}
KERNEL_CONFIG = (
    "#\n# Automatically generated file; DO NOT EDIT.\n"
    "# Linux/x86 6.8.12 Kernel Configuration\n#\n"
    "CONFIG_64BIT=y\nCONFIG_PCI_P2PDMA=y\nCONFIG_DMA_SHARED_BUFFER=y\n"
    "CONFIG_DMABUF_MOVE_NOTIFY=y\nCONFIG_HSA_AMD_P2P=y\n# CONFIG_DMABUF_DEBUG is not set\n"
)
PARAMETERS = (
    "ResmanDebugLevel: 4294967295\nRmLogonRC: 1\nModifyDeviceFiles: 1\nDeviceFileUID: 0\n"
    "DeviceFileGID: 0\nDeviceFileMode: 438\nInitializeSystemMemoryAllocations: 1\n"
    "UsePageAttributeTable: 4294967295\nEnablePCIeRelaxedOrderingMode: 0\nEnableGpuFirmware: 18\n"
    'RmProfilingAdminOnly: 0\nPreserveVideoMemoryAllocations: 0\nRegistryDwords: ""\n'
)


def docker(engine: str, containerd: str, runc: str) -> str:
    """What `docker version` prints as JSON."""
    components = [
        {"Name": "Engine", "Version": engine, "Details": {"ApiVersion": "1.52", "Os": "linux"}},
        {"Name": "containerd", "Version": f"v{containerd}", "Details": {}},
        {"Name": "runc", "Version": runc, "Details": {}},
        {"Name": "docker-init", "Version": "0.19.0", "Details": {}},
    ]
    client = {"Version": engine, "ApiVersion": "1.52", "Os": "linux", "Arch": "amd64"}
    server = {"Version": engine, "ApiVersion": "1.52", "Components": components}
    return json.dumps({"Client": client, "Server": server}, separators=(",", ":")) + "\n"


def programs(said: dict[str, str]) -> Iterator[Capture]:
    """Answers of the programs that are there; the others are not."""
    for program in PROGRAMS:
        text = said.get(program.id)
        yield absent(program.reading) if text is None else answer(program.reading, text)


def captures() -> Iterator[Capture]:
    """Everything about software but packages and containers."""
    yield from programs(SAID)
    yield answer(software_docker.VERSION, docker("29.7.0", "2.3.2", "1.3.6"))
    yield pack(software_libraries.LIBRARIES, LIBRARIES)
    yield pack(
        software_slurm.PARTS,
        {
            "/usr/bin/sinfo": "f 0755 0 0 - 216896",
            "/usr/sbin/slurmd": "f 0755 0 0 - 437016",
            "/usr/lib/x86_64-linux-gnu/libslurm.so.43": "l 0777 0 0 - 18",
        },
    )
    yield absent(software_slurm.STATED)
    yield pack(
        cuda.TOOLKITS,
        {f"/usr/local/{name}/version.json": CUDA for name in ("cuda", "cuda-13.1")},
    )
    yield absent(cuda.ROCM)
    yield pack(
        cuda.MODULE,
        {
            "/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Open Kernel Module for "
            f"x86_64  {NVIDIA}  Release Build  (dvs-builder@U22-I3-B10-03-1)  "
            "Wed Jun 24 19:05:12 UTC 2026\n"
            "GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)\n"
        },
    )
    yield pack(profiling.PARAMETERS, {"/proc/driver/nvidia/params": PARAMETERS})
    yield pack(
        mpi.HPCX, {"/opt/hpcx-v2.25.1-gcc-doca_ofed-ubuntu22.04-cuda13-x86_64": "d 0755 0 0 - 4096"}
    )
    yield absent(mpi.HPCX_VERSION)
    yield absent(mpi.PKGCONFIG)
    yield pack(mpi.MODULES, {"/etc/profile.d/modules.sh": "f 0644 0 0 - 713"})
    yield pack(kernel_config.CONFIG, {f"/boot/config-{KERNEL}": KERNEL_CONFIG})
