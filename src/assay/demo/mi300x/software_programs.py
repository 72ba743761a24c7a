"""Versions of programs, libraries and drivers of the MI300X node."""

from collections.abc import Iterator

from assay.demo.hgx_h100.software_programs import CONTAINERD, KERNEL_CONFIG, RUNC, docker, programs
from assay.demo.hosts import absent, answer, pack
from assay.demo.mi300x.host_linux import NODE
from assay.model.evidence import Capture
from assay.probes import cuda, mpi, profiling, software_docker, software_libraries, software_slurm
from assay.probes import software_kernel_config as kernel_config

SAID = {
    "software.containerd": CONTAINERD,
    "software.runc": RUNC,
    "software.podman": "podman version 5.8.4\n",
    "software.openmpi": "mpirun (Open MPI) 5.0.8\n\nReport bugs to https://www.open-mpi.org/\n",
}


def captures() -> Iterator[Capture]:
    """Everything about software but packages and containers."""
    yield from programs(SAID)
    yield answer(software_docker.VERSION, docker("29.7.0", "2.3.2", "1.3.6"))
    yield absent(software_slurm.PARTS)
    yield absent(software_slurm.STATED)
    yield pack(
        software_libraries.LIBRARIES,
        {
            "/opt/rocm/lib/librccl.so.1": "librccl.so.1.0.70001",
            "/opt/rocm-7.0.1/lib/librccl.so.1": "librccl.so.1.0.70001",
        },
    )
    yield absent(cuda.TOOLKITS)
    yield pack(
        cuda.ROCM,
        {f"/opt/{name}/.info/version": "7.0.1-42\n" for name in ("rocm", "rocm-7.0.1")},
    )
    yield absent(cuda.MODULE)
    yield absent(profiling.PARAMETERS)
    yield absent(mpi.HPCX)
    yield absent(mpi.HPCX_VERSION)
    yield pack(mpi.PKGCONFIG, {"/opt/ucx/lib/pkgconfig/ucx.pc": "Name: ucx\nVersion: 1.19.0\n"})
    yield absent(mpi.MODULES)
    yield pack(kernel_config.CONFIG, {f"/boot/config-{NODE.release}": KERNEL_CONFIG})
