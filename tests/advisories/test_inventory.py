"""From facts to things with an origin."""

from assay.advisories import inventory
from assay.advisories.components import canonical, component, of_package
from assay.model.advisory import Origin
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.containers import ToolkitSetting
from assay.model.facts.exposure import NvidiaModule
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.software import ChangelogFix, Package, Software
from assay.model.facts.system import Kernel, KernelModule, Livepatch, OperatingSystem

JAMMY = OperatingSystem("ubuntu", "22.04", "Ubuntu 22.04.5 LTS", codename="jammy")
BOOKWORM = OperatingSystem("debian", "12", "Debian GNU/Linux 12", codename="bookworm")
UBUNTU = "Ubuntu Developers <ubuntu-devel-discuss@lists.ubuntu.com>"


def dpkg(name, version, source="", vendor=""):
    return Package("dpkg", name, version, "amd64", source or name, version, vendor)


def test_names_that_people_use():
    for alias, name in [
        ("nvidia-driver", "nvidia-driver"), ("driver", "nvidia-driver"),
        ("Docker", "docker-engine"),
        ("docker.io", "docker-engine"), ("CUDA", "cuda-toolkit"), ("linux", "linux-kernel"),
        ("kubelet", "kubernetes"), ("sshd", "openssh"), ("openssl", "openssl"),
        ("nvidia_container_toolkit", "nvidia-container-toolkit"), ("slurm", "slurm"),
        ("something-new", "something-new"),
    ]:  # fmt: skip
        assert canonical(alias) == name, alias


def test_packages_of_a_component():
    assert of_package("libc6", "glibc") == "glibc"
    assert of_package("nvidia-driver-580-server-open", "nvidia-graphics-drivers-580") == (
        "nvidia-driver"
    )
    assert of_package("linux-modules-nvidia-580-6.8.0-1055-nvidia", "linux-restricted") == ""
    assert of_package("cuda-toolkit-12-6") == "cuda-toolkit"
    assert of_package("bash", "bash") == ""
    assert component("runc").scheme == "go"


def test_who_built_a_package():
    found = {
        thing.component: thing
        for thing in inventory.of_packages(
            [
                dpkg("docker.io", "24.0.7-0ubuntu4.1", vendor=UBUNTU),
                dpkg("containerd.io", "2.3.2-1~ubuntu.22.04~jammy", vendor="Containerd team <x@y>"),
                dpkg("munge", "0.5.18-1", vendor="Chris Dunlap <c@d>"),
                dpkg("nvidia-container-toolkit", "1.19.1-1", vendor="NVIDIA CORPORATION <c@n>"),
                dpkg("openssh-server", "1:8.9p1-3ubuntu0.18", "openssh", UBUNTU),
                dpkg("openssh-client", "1:8.9p1-3ubuntu0.18", "openssh", UBUNTU),
            ],
            [JAMMY],
        )
    }
    assert found["docker-engine"].origin is Origin.DISTRO
    assert (found["docker-engine"].distro, found["docker-engine"].release) == (
        "ubuntu:22.04", "jammy",
    )  # fmt: skip
    for name in ("containerd", "munge", "nvidia-container-toolkit"):
        assert (found[name].origin, found[name].distro) == (Origin.VENDOR, ""), name
    assert found["openssh"].package == "openssh-server"  # one thing, however many packages


def test_a_debian_package_is_debians_whoever_maintains_it():
    (thing,) = inventory.of_packages(
        [dpkg("munge", "0.5.15-2", vendor="Gennaro Oliva <o@na.icar.cnr.it>")], [BOOKWORM]
    )
    assert (thing.distro, thing.release) == ("debian:12", "bookworm")


def test_rpm_packages():
    rocky = OperatingSystem("rocky", "9.4", "Rocky Linux 9.4")
    runc, docker = inventory.of_packages(
        [
            Package("rpm", "runc", "4:1.1.12-3.el9", "x86_64", "runc", "4:1.1.12-3.el9", "Rocky"),
            Package("rpm", "docker-ce", "3:27.5.1-1.el9", "x86_64", "docker-ce", "3:27.5.1-1.el9",
                    "Docker"),
        ],
        [rocky],
    )  # fmt: skip
    assert (runc.distro, runc.release) == ("rocky:9.4", "9")
    assert docker.distro == ""


def test_a_binary_that_says_what_its_package_says_is_the_package():
    packages = [dpkg("docker.io", "24.0.7-0ubuntu4.1", vendor=UBUNTU)]
    software = [
        Software("docker", "24.0.7", "binary", "/usr/bin/dockerd"),
        Software("docker-cli", "24.0.7", "binary"),
        Software("containerd", "2.0.1", "binary", "/var/lib/rancher/k3s/bin/containerd"),
        Software("runc", "1.1.5+ds1", "binary", "/usr/sbin/runc", "Debian"),
    ]  # fmt: skip
    found = inventory.of_host(packages, software, [JAMMY])
    assert [(t.component, t.origin) for t in found] == [
        ("docker-engine", Origin.DISTRO), ("containerd", Origin.BINARY), ("runc", Origin.BINARY),
    ]  # fmt: skip
    assert found[2].distro == "debian"  # the version itself gives its builder away


def test_the_toolkit_on_the_host_and_in_the_operator_are_two():
    software = [
        Software("nvidia-container-toolkit", "1.17.7", "binary"),
        Software("nvidia-container-toolkit", "1.19.1", "binary",
                 "/usr/local/nvidia/toolkit/nvidia-ctk", "GPU Operator"),
    ]  # fmt: skip
    host, operator = inventory.of_host([], software, [JAMMY])
    assert (host.origin, operator.origin) == (Origin.BINARY, Origin.IMAGE)


def test_the_compiler_counts_only_without_the_toolkits_own_file():
    compiler = Software("cuda-compiler", "12.6.77", "binary", detail="12.6")
    (thing,) = inventory.of_host([], [compiler])
    assert (thing.component, thing.version) == ("cuda-toolkit", "V12.6.77")
    toolkit = Software("cuda-toolkit", "12.6.2", "file", "/usr/local/cuda/version.json")
    (thing,) = inventory.of_host([], [compiler, toolkit])
    assert thing.version == "12.6.2"


def test_the_running_driver_not_the_installed_one():
    facts = [
        NvidiaModule("580.95.05", True),
        KernelModule("nvidia", "580.95.05"),
        Accelerator("nvidia", 0, "NVIDIA H100 80GB HBM3", driver="580.95.05"),
        dpkg("nvidia-driver-580-open", "580.173.02-1ubuntu1", "nvidia-open", "NVIDIA <a@b>"),
    ]
    found = inventory.everything(facts).installed
    assert [(t.version, t.running, t.variant) for t in found] == [
        ("580.95.05", True, "datacenter")
    ]  # fmt: skip


def test_firmware_kernel_and_rocm():
    facts = [
        RdmaPort("mlx5_0", 1, firmware="28.43.8002", hca_type="MT4129"),
        RdmaPort("mlx5_1", 1, firmware="28.43.8002", hca_type="MT4129"),
        RdmaPort("bnxt_re0", 1, firmware="229.1.123.0"),
        Kernel("6.8.0-1060-nvidia", "#63~22.04.1-Ubuntu SMP", "x86_64"),
        Software("rocm", "7.0.1-42", "file"),
        Accelerator("amd", 0, "AMD Instinct MI300X OAM"),
        JAMMY,
    ]
    found = {t.component: t for t in inventory.everything(facts).installed}
    assert set(found) == {"connectx-firmware", "linux-kernel", "rocm"}
    assert found["connectx-firmware"].where == "ConnectX-7"
    assert found["linux-kernel"].source == "linux-nvidia-6.8"
    assert found["rocm"].variant == "MI300X"


def test_what_else_is_known():
    host = inventory.host(
        [dpkg("libc6", "2.35-0ubuntu3.13", "glibc")],
        [Software("crun", "1.19", "binary")],
        [ChangelogFix("libc6", "CVE-2023-4911")],
        [Livepatch("kpatch_1", True), Livepatch("off", False)],
        [],
    )
    assert host.proof("CVE-2023-4911", "glibc") == "glibc"
    assert host.proof("CVE-2023-4911", "runc") == ""
    assert host.livepatches == ("kpatch_1",)
    assert host.features == {"crun": True}


def test_crun_beside_runc_is_not_crun_only():
    both = [Software("crun", "1.19", "binary"), Software("runc", "1.3.6", "binary")]
    assert inventory.host(software=both).features == {"crun": False}
    chosen = [ToolkitSetting("nvidia-container-runtime.runtimes", "crun", "config.toml")]
    assert inventory.host(software=both, settings=chosen).features == {"crun": True}
