"""Versions of programs, libraries, toolkits and drivers: exact values, odd versions."""

import gzip

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.kit.pack import Entry, dump
from assay.kit.probe import registry
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.exposure import KernelOption, NvidiaModule, NvidiaParameter
from assay.model.facts.software import Software
from assay.probes import cuda, mpi, profiling, software_libraries
from assay.probes import software_kernel_config as kernel_config
from assay.probes.kernel import KERNEL
from assay.probes.software_docker import VERSION
from assay.probes.software_versions import PROGRAMS


def run(id, *captures):
    catalogue()
    found = understand(registry[id], Evidence("n", {c.source: c for c in captures}))
    assert found.error is None
    return found


def said(reading, text, **more):
    return Capture(reading.source, text.encode(), **({"exit_code": 0} | more))


def packed(reading, files):
    entries = [Entry(p, t if isinstance(t, bytes) else t.encode()) for p, t in files.items()]
    return Capture(reading.source, dump(entries))


@pytest.mark.parametrize(
    ("id", "text", "component", "version"),
    [
        ("software.containerd", "containerd github.com/containerd/containerd 1.7.12 \n",
         "containerd", "1.7.12"),
        ("software.containerd", "containerd containerd.io v1.7.27 05044ec0a9a75232cad458027ca83\n",
         "containerd", "1.7.27"),
        ("software.containerd",
         "containerd github.com/containerd/containerd/v2 v2.0.5 fb4c30d4ede3531652d86197bf\n",
         "containerd", "2.0.5"),
        ("software.runc", "runc version 1.1.5+ds1\ncommit: 1.1.5+ds1-1+deb12u1\nspec: 1.0.2\n",
         "runc", "1.1.5+ds1"),
        ("software.crun", "crun version 1.14.3\ncommit: 1961d211ba98f532ea52d2e80f4c20359f241a98\n",
         "crun", "1.14.3"),
        ("software.nvidia-ctk", "NVIDIA Container Toolkit CLI version 1.18.0-rc.1\ncommit: 6\n",
         "nvidia-container-toolkit", "1.18.0-rc.1"),
        ("software.apptainer", "apptainer version 1.3.4-1.el9\n", "apptainer", "1.3.4-1.el9"),
        ("software.singularity", "singularity-ce version 4.1.0-jammy\n", "singularity-ce",
         "4.1.0-jammy"),
        ("software.kubelet", "Kubernetes v1.31.4-gke.1372000\n", "kubelet", "1.31.4-gke.1372000"),
        ("software.k3s", "k3s version v1.30.4+k3s1 (98262b5d)\ngo version go1.22.5\n", "k3s",
         "1.30.4+k3s1"),
        ("software.munge", "munge-0.5.15 (2022-06-22)\n", "munge", "0.5.15"),
        ("software.ofed", "MLNX_OFED_LINUX-5.8-2.0.3.0:\n", "mlnx-ofed", "5.8-2.0.3.0"),
        ("software.ofed", "OFED-internal-24.10-0.7.0:\n", "mlnx-ofed", "24.10-0.7.0"),
        ("software.openmpi", "mpirun (Open MPI) 4.1.7a1\n\nReport bugs to x\n", "openmpi",
         "4.1.7a1"),
        ("software.nvcc", "Cuda compilation tools, release 12.8, V12.8.93\n", "cuda-compiler",
         "12.8.93"),
        ("software.enroot", "3.4.1\n", "enroot", "3.4.1"),
        ("software.qemu", "QEMU emulator version 8.2.2 (Debian 1:8.2.2+ds-0ubuntu1.10)\n", "qemu",
         "8.2.2"),
    ],
)  # fmt: skip
def test_a_program_states_its_version(id, text, component, version):
    reading = next(p.reading for p in PROGRAMS if p.id == id)
    found = run(id, said(reading, text))
    assert [(f.component, f.version, f.origin) for f in found.facts] == [
        (component, version, "binary")
    ]


def test_another_mpi_is_no_open_mpi_and_an_error_is_no_version():
    reading = next(p.reading for p in PROGRAMS if p.id == "software.openmpi")
    assert "no version" in run("software.openmpi", said(reading, "HYDRA build details:\n")).unread
    runc = next(p.reading for p in PROGRAMS if p.id == "software.runc")
    failed = run("software.runc", said(runc, "runc version 1.1.12\n", exit_code=127))
    assert [(fact.component, fact.version) for fact in failed.facts] == [("runc", "")]
    assert "exited with 127" in failed.unread


def test_an_embedded_runtime_says_whose_it_is():
    program = next(p for p in PROGRAMS if p.id == "software.runc-k3s")
    fact = run(program.id, said(program.reading, "runc version 1.2.8\n")).facts[0]
    assert fact.path == "/var/lib/rancher/k3s/data/current/bin/runc"
    assert fact.detail == "k3s"


DOCKER = (
    '{"Client":{"Version":"27.3.1","ApiVersion":"1.47"},"Server":{"Version":"27.3.1","Components":'
    '[{"Name":"Engine","Version":"27.3.1"},{"Name":"containerd","Version":"v1.7.22"},'
    '{"Name":"runc","Version":"1.1.14"},{"Name":"docker-init","Version":"0.19.0"}]}}\n'
)


def test_docker_names_the_runtime_that_it_uses():
    found = run("software.docker", said(VERSION, DOCKER))
    assert [(f.component, f.version) for f in found.facts] == [
        ("docker-cli", "27.3.1"), ("docker", "27.3.1"), ("containerd", "1.7.22"),
        ("runc", "1.1.14"),
    ]  # fmt: skip
    parsed = parse(DOCKER.encode(), catalogue().probes)
    assert parsed.source == VERSION.source


def test_a_daemon_that_keeps_its_version_has_none_and_no_daemon_is_no_engine():
    half = '{"Client":{"Version":"28.2.2","ApiVersion":"1.50"},"Server":null}\n'
    denied = "permission denied while trying to connect to the Docker daemon socket"
    found = run("software.docker", said(VERSION, half, exit_code=1, stderr=denied))
    assert [(f.component, f.version) for f in found.facts] == [
        ("docker-cli", "28.2.2"), ("docker", "")
    ]  # fmt: skip
    gone = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."
    found = run("software.docker", said(VERSION, half, exit_code=1, stderr=gone))
    assert [f.component for f in found.facts] == ["docker-cli"]


def test_podman_under_dockers_name_is_podman():
    text = '{"Client":{"APIVersion":"4.9.4","Version":"4.9.4-rhel","OsArch":"linux/amd64"}}'
    found = run("software.docker", said(VERSION, text))
    assert [(f.component, f.version) for f in found.facts] == [("podman", "4.9.4-rhel")]


def test_libraries_by_the_names_of_links():
    links = {
        "/usr/lib/x86_64-linux-gnu/libnccl.so.2": "libnccl.so.2.26.2",
        "/usr/lib/x86_64-linux-gnu/libcudnn.so.9": "/etc/alternatives/libcudnn_so",
        "/usr/lib64/libdcgm.so.4": "libdcgm.so.4.2.3",
    }
    found = run("software.libraries", packed(software_libraries.LIBRARIES, links))
    assert [(f.component, f.version) for f in found.facts] == [
        ("nccl", "2.26.2"),
        ("dcgm", "4.2.3"),
    ]


def test_cuda_toolkits_new_and_old_and_damaged():
    files = {
        "/usr/local/cuda-10.2/version.txt": "CUDA Version 10.2.89\n",
        "/usr/local/cuda-12.6/version.json": '{"cuda":{"name":"CUDA SDK","version":"12.6.2"}}',
        "/usr/local/cuda-12.9/version.json": '{"cuda":{"name":"CUDA',
    }
    found = run("software.cuda-toolkits", packed(cuda.TOOLKITS, files))
    assert [(f.component, f.version) for f in found.facts] == [
        ("cuda-toolkit", "10.2.89"), ("cuda-toolkit", "12.6.2"), ("cuda-toolkit", "")
    ]  # fmt: skip
    assert "cuda-12.9" in found.unread


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.309.01  Tue Mar 3 UTC 2026\n",
         NvidiaModule("535.309.01", open_source=False)),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  570.211.01  Release Build\n",
         NvidiaModule("570.211.01", open_source=True)),
        ("NVRM version: NVIDIA UNIX aarch64 Kernel Module  550.90  Release Build\n",
         NvidiaModule("550.90", open_source=False)),
    ],
)  # fmt: skip
def test_the_open_module_says_so(text, expected):
    assert run("software.nvidia-module", packed(cuda.MODULE, {"x": text})).facts == (expected,)


def test_driver_parameters_keep_their_strings():
    text = 'RmProfilingAdminOnly: 1\nRegistryDwords: "a=1;b=2"\nGpuBlacklist: ""\n'
    found = run("software.nvidia-params", packed(profiling.PARAMETERS, {"x": text}))
    assert found.facts == (
        NvidiaParameter("RmProfilingAdminOnly", "1"),
        NvidiaParameter("RegistryDwords", "a=1;b=2"),
        NvidiaParameter("GpuBlacklist", ""),
    )


def test_hpcx_by_its_folder_or_its_version_file():
    folders = {"/opt/hpcx": "d 0755 0 0 - 1", "/opt/hpcx-v2.18.1-gcc-x86_64": "d 0755 0 0 - 1",
               "/opt/hpcx.tbz": "f 0644 0 0 - 9"}  # fmt: skip
    found = run(
        "software.hpcx",
        packed(mpi.HPCX, folders),
        packed(mpi.HPCX_VERSION, {"/opt/hpcx/VERSION": "HPC-X v2.22\nompi-b2e0\n"}),
    )
    assert [(f.version, f.path) for f in found.facts] == [
        ("2.22", "/opt/hpcx"), ("2.18.1", "/opt/hpcx-v2.18.1-gcc-x86_64")
    ]  # fmt: skip


def test_only_the_running_kernels_configuration_counts():
    files = {
        "/boot/config-6.8.0-1-generic": "CONFIG_PCI_P2PDMA=y\n",
        "/boot/config-5.4.0-9-generic": "# CONFIG_PCI_P2PDMA is not set\n",
    }
    running = packed(KERNEL, {"/proc/sys/kernel/osrelease": "5.4.0-9-generic\n"})
    found = run("software.kernel-config", packed(kernel_config.CONFIG, files), running)
    assert found.facts == (KernelOption("PCI_P2PDMA", "n"),)
    other = packed(KERNEL, {"/proc/sys/kernel/osrelease": "6.1.0\n"})
    found = run("software.kernel-config", packed(kernel_config.CONFIG, files), other)
    assert "6.1.0" in found.unread
    own = {"/proc/config.gz": gzip.compress(b"CONFIG_DMABUF_MOVE_NOTIFY=y\n", mtime=0), **files}
    found = run("software.kernel-config", packed(kernel_config.CONFIG, own), other)
    assert found.facts == (KernelOption("DMABUF_MOVE_NOTIFY", "y"),)


def test_software_is_a_software_fact():
    assert Software("runc", "1.3.6", "binary").path == ""


def test_what_could_not_be_read_may_be_there():
    late = Capture(cuda.TOOLKITS.source, status=Status.TIMEOUT)
    found = run("software.cuda-toolkits", late)
    assert [(f.component, f.version) for f in found.facts] == [("cuda-toolkit", "")]
    assert "timeout" in found.facts[0].detail
    assert run("software.cuda-toolkits").facts == ()  # it was not even asked
    assert (
        run("software.cuda-toolkits", Capture(cuda.TOOLKITS.source, status=Status.ABSENT)).facts
        == ()
    )
