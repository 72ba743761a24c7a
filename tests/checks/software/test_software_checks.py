"""Software of a node: honest about what was not seen, quiet where the question does not arise."""

import pytest

from assay.checks.containers.docker_tcp import docker_tcp
from assay.checks.containers.insecure_registries import insecure_registries
from assay.checks.containers.toolkit_configured import toolkit_configured
from assay.checks.containers.toolkit_environment import toolkit_environment
from assay.checks.containers.user_namespaces import user_namespaces
from assay.checks.software.cuda_driver import cuda_driver
from assay.checks.software.cuda_toolkit import cuda_toolkit
from assay.checks.software.dcgm_running import dcgm_running
from assay.checks.software.fabric_manager_version import fabric_manager_version
from assay.checks.software.fabric_services import fabric_services
from assay.checks.software.gpu_profiling import gpu_profiling
from assay.checks.software.gpudirect import gpudirect_rdma
from assay.checks.software.rocm_dmabuf import rocm_dmabuf
from assay.checks.software.versions_agree import versions_agree
from assay.model.fact import Fleet, Group
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.access import Listener, RunningProgram
from assay.model.facts.containers import ContainerdSetting, DockerSetting, ToolkitSetting
from assay.model.facts.dmi import Virtualization
from assay.model.facts.exposure import (
    KernelOption,
    NamespaceSetting,
    NvidiaModule,
    NvidiaParameter,
    PathMode,
)
from assay.model.facts.pci import PciDevice
from assay.model.facts.software import Package, Software
from assay.model.facts.system import Kernel, KernelModule
from assay.model.outcome import Outcome

FAIL, PASS, UNKNOWN, NONE = Outcome.FAIL, Outcome.PASS, Outcome.UNKNOWN, Outcome.NOT_APPLICABLE
GPU = PciDevice("0000:18:00.0", "10de", "2330", "030200", "nvidia")
SWITCH = PciDevice("0000:05:00.0", "10de", "22a3", "068000")
NIC = PciDevice("0000:19:00.0", "15b3", "1021", "020700", "mlx5_core")
MI300 = PciDevice("0000:05:00.0", "1002", "74a1", "120000", "amdgpu")
LAPTOP = PciDevice("0000:01:00.0", "10de", "28a0", "030000", "nouveau")
OPEN, CLOSED = NvidiaModule("580.1.2", True), NvidiaModule("580.1.2", False)
MLX5, PEERMEM = KernelModule("mlx5_core"), KernelModule("nvidia_peermem")
KUBELET = Software("kubelet", "1.32.1", "binary")


def kernel(release):
    return [Kernel(release, "#1", "x86_64")]


def outcomes(verdicts):
    return [v.outcome for v in verdicts]


@pytest.mark.parametrize(
    ("modules", "driver", "release", "expected"),
    [
        ([MLX5], OPEN, "6.8.0-1-nvidia", PASS),
        ([MLX5], OPEN, "5.4.0-150-generic", FAIL),
        ([MLX5, PEERMEM], CLOSED, "5.4.0-150-generic", PASS),
        ([MLX5], CLOSED, "6.8.0-1-nvidia", FAIL),
        ([MLX5], OPEN, "weird", UNKNOWN),
        ([], OPEN, "6.8.0", UNKNOWN),
    ],
)
def test_gpudirect_by_either_way(modules, driver, release, expected):
    assert outcomes(gpudirect_rdma([GPU, NIC], modules, [driver], kernel(release))) == [expected]


def test_gpudirect_is_no_question_without_a_fabric_or_an_accelerator():
    ethernet = PciDevice("0000:19:00.0", "15b3", "101e", "020000", "mlx5_core")
    for devices in ([GPU], [GPU, ethernet], [NIC], [LAPTOP, NIC]):
        assert outcomes(gpudirect_rdma(devices, [MLX5], [CLOSED], kernel("6.8.0"))) == [NONE]
    assert outcomes(gpudirect_rdma([GPU, *[ethernet] * 4], [MLX5], [CLOSED], kernel("6.8"))) == [
        FAIL
    ]


def test_fabric_manager_where_switches_are_seen():
    runs = [RunningProgram("nv-fabricmanage", 0)]
    assert outcomes(fabric_services([GPU, SWITCH], runs, None, None, None)) == [PASS]
    assert outcomes(fabric_services([GPU, SWITCH], [], None, None, None)) == [FAIL]
    assert outcomes(fabric_services([GPU, SWITCH], None, None, None, None)) == [UNKNOWN]
    pod = [Virtualization(False, "", "kubernetes")]
    assert outcomes(fabric_services([GPU, SWITCH], [], None, pod, None)) == [UNKNOWN]
    assert outcomes(fabric_services([GPU], [], None, None, None)) == []


def test_boards_that_hide_their_switches_and_racks():
    board = [Accelerator("nvidia", n, "NVIDIA B200") for n in range(8)]
    assert outcomes(fabric_services([GPU], [], board, None, None)) == [FAIL]
    assert outcomes(fabric_services([GPU], [], board, [Virtualization(True)], None)) == []
    rack = [Accelerator("nvidia", n, "NVIDIA GB200") for n in range(4)]
    assert outcomes(fabric_services([GPU], [], rack, None, None)) == [UNKNOWN]
    assert outcomes(fabric_services([GPU], [], rack, None, [KUBELET])) == []
    imex = [RunningProgram("nvidia-imex", 0)]
    assert outcomes(fabric_services([GPU], imex, rack, None, None)) == [PASS]


@pytest.mark.parametrize(
    ("version", "expected"),
    [("580.1.2-1", PASS), ("1:580.1.2-0ubuntu1", PASS), ("580.1.20-1", FAIL), ("odd", UNKNOWN)],
)
def test_fabric_manager_has_the_drivers_version(version, expected):
    package = Package("dpkg", "nvidia-fabricmanager-580", version)
    assert outcomes(fabric_manager_version([SWITCH], [package], [OPEN])) == [expected]


def test_a_toolkit_and_its_driver():
    def judge(toolkit, driver):
        tool = Software("cuda-toolkit", toolkit, "file")
        return outcomes(cuda_driver([tool], [NvidiaModule(driver, True)]))

    assert judge("12.8.1", "525.60.13") == [PASS]
    assert judge("13.0.0", "570.211.01") == [FAIL]
    assert judge("14.0.0", "610.1") == [UNKNOWN]  # not in the table yet
    assert outcomes(cuda_driver([], [])) == [NONE]


def test_environment_modules_may_bring_a_toolkit():
    lmod = [PathMode("/etc/profile.d/lmod.sh", "f", 0o644, 0, 0)]
    assert outcomes(cuda_toolkit([GPU], [], lmod)) == [UNKNOWN]
    assert outcomes(cuda_toolkit([GPU], [], [])) == [FAIL]
    assert outcomes(cuda_toolkit([GPU], [KUBELET], [])) == []
    assert outcomes(cuda_toolkit([LAPTOP], [], [])) == [NONE]


def test_dcgm_by_engine_or_exporter():
    exporter = [RunningProgram("dcgm-exporter", 65534)]
    assert outcomes(dcgm_running([GPU], exporter, None, None)) == [PASS]
    assert outcomes(dcgm_running([GPU], [], None, None)) == [FAIL]
    assert outcomes(dcgm_running([GPU], None, None, None)) == [UNKNOWN]
    assert outcomes(dcgm_running([MI300], [], None, None)) == [NONE]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [("RmProfilingAdminOnly", "0", PASS), ("RestrictProfilingToAdminUsers", "1", FAIL),
     ("RmProfilingAdminOnly", "4294967295", UNKNOWN), ("Other", "0", UNKNOWN)],
)  # fmt: skip
def test_profiling_under_either_name(name, value, expected):
    assert outcomes(gpu_profiling([NvidiaParameter(name, value)])) == [expected]


def test_rccl_wants_both_options():
    options = [KernelOption("DMABUF_MOVE_NOTIFY", "y"), KernelOption("PCI_P2PDMA", "n")]
    assert outcomes(rocm_dmabuf([MI300, NIC], options)) == [PASS, FAIL]
    assert outcomes(rocm_dmabuf([MI300, NIC], None)) == [UNKNOWN, UNKNOWN]


def test_versions_over_the_fleet():
    def node(nccl):
        return (Software("nccl", nccl, "library"),)

    software = Fleet([Group(("a", "b"), node("2.27.7")), Group(("c",), node("2.21.5"))])
    found = list(versions_agree(software))
    assert [(v.outcome, v.subject, v.nodes) for v in found] == [
        (FAIL, "nccl", ("c",)),
    ]


def docker(*rows):
    return [DockerSetting(name, value, "daemon.json") for name, value in rows]


@pytest.mark.parametrize(
    ("settings", "ports", "expected"),
    [
        ([("hosts", "fd://")], [], PASS),
        ([("hosts", "tcp://0.0.0.0:2376")], [], FAIL),
        ([("hosts", "tcp://0.0.0.0:2376"), ("tlsverify", "true")], [], PASS),
        ([("hosts", "tcp://0.0.0.0:2376"), ("tlsverify", "false")], [], FAIL),
        ([("hosts", "fd://")], [2375], UNKNOWN),  # somebody listens; the number says not who
        ([("", "")], None, PASS),
    ],
)
def test_docker_on_the_network(settings, ports, expected):
    listeners = None if ports is None else [Listener("*", port) for port in ports]
    assert outcomes(docker_tcp(docker(*settings), listeners)) == [expected]


def test_registries_of_every_engine():
    containerd = [
        ContainerdSetting(
            "plugins.io.containerd.grpc.v1.cri.registry.configs.r.example:5000.tls"
            ".insecure_skip_verify", "true", "c",
        )
    ]  # fmt: skip
    found = list(
        insecure_registries(docker(("insecure-registries", "127.0.0.0/8")), containerd, [])
    )
    assert [(v.outcome, v.subject) for v in found] == [(PASS, "docker"), (FAIL, "containerd")]
    assert "r.example:5000" in found[1].because


def test_an_engine_that_knows_gpus():
    runtime = docker(("runtimes.nvidia.path", "nvidia-container-runtime"))
    assert outcomes(toolkit_configured([GPU], runtime, [], [], None)) == [PASS]
    assert outcomes(toolkit_configured([GPU], docker(("", "")), [], [], None)) == [FAIL]
    spec = [PathMode("/etc/cdi/nvidia.yaml", "f", 0o644, 0, 0)]
    assert outcomes(toolkit_configured([GPU], docker(("", "")), [], [], spec)) == [UNKNOWN]
    on = docker(("features.cdi", "true"))
    assert outcomes(toolkit_configured([GPU], on, [], [], spec)) == [PASS]
    off = [ContainerdSetting("disabled_plugins", "cri", "c")]
    assert outcomes(toolkit_configured([GPU], [], off, [], None)) == []
    v2 = [ContainerdSetting(
        "plugins.io.containerd.grpc.v1.cri.containerd.runtimes.nvidia.options.BinaryName",
        "/usr/bin/nvidia-container-runtime", "c")]  # fmt: skip
    assert outcomes(toolkit_configured([GPU], [], v2, [], None)) == [PASS]
    assert outcomes(toolkit_configured([LAPTOP], runtime, [], [], None)) == []


def test_the_environment_variable_matters_on_kubernetes():
    default = [ToolkitSetting("disable-require", "false", "c")]
    assert outcomes(toolkit_environment(default, [KUBELET])) == [FAIL]
    assert outcomes(toolkit_environment(default, [])) == [NONE]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"user.max_user_namespaces": "0"}, FAIL),
        ({"kernel.apparmor_restrict_unprivileged_userns": "1"}, FAIL),
        ({"user.max_user_namespaces": "8252000"}, PASS),
    ],
)
def test_user_namespaces_for_rootless_engines(settings, expected):
    facts = [NamespaceSetting(name, value) for name, value in settings.items()]
    assert outcomes(user_namespaces(facts, [Software("enroot", "3.5.0", "binary")])) == [expected]
    assert outcomes(user_namespaces(facts, [])) == []


def test_a_version_that_could_not_be_read_is_neither_there_nor_missing():
    unread = Software("cuda-toolkit", "", "file", detail="timeout")
    assert outcomes(cuda_toolkit([GPU], [unread], None)) == [UNKNOWN]
    assert outcomes(cuda_driver([unread], [OPEN])) == [UNKNOWN]
    known = Software("cuda-toolkit", "12.6.2", "file")
    fleet = Fleet([Group(("a", "b"), (known,)), Group(("c",), (unread,))])
    assert {v.nodes: v.outcome for v in versions_agree(fleet)} == {
        ("a", "b"): PASS,
        ("c",): UNKNOWN,
    }
    assert not list(versions_agree(Fleet([Group(("c",), (unread,))])))  # nobody to agree with
