"""Packages of the H100 node (Ubuntu 22.04), and what some changelogs say."""

import gzip
from collections.abc import Iterator

from assay.demo.hgx_h100.host_linux import NODE
from assay.demo.hgx_h100.host_linux import NVIDIA as DRIVER
from assay.demo.hosts import absent, answer
from assay.kit.pack import Entry, dump
from assay.model.evidence import Capture
from assay.probes import changelogs, packages

UBUNTU = "Ubuntu Developers <ubuntu-devel-discuss@lists.ubuntu.com>"
KERNEL_TEAM = "Canonical Kernel Team <kernel-team@lists.ubuntu.com>"
NVIDIA = "NVIDIA CORPORATION <cudatools@nvidia.com>"
KERNEL = NODE.release
# name, version, source package, source version, maintainer
BASE = (
    ("bash", "5.1-6ubuntu1.1", "bash", "5.1-6ubuntu1.1", UBUNTU),
    ("libc6", "2.35-0ubuntu3.13", "glibc", "2.35-0ubuntu3.13", UBUNTU),
    ("openssh-server", "1:8.9p1-3ubuntu0.18", "openssh", "1:8.9p1-3ubuntu0.18", UBUNTU),
    ("sudo", "1.9.9-1ubuntu2.6", "sudo", "1.9.9-1ubuntu2.6", UBUNTU),
    ("systemd", "249.11-0ubuntu3.20", "systemd", "249.11-0ubuntu3.20", UBUNTU),
    ("util-linux", "2.37.2-4ubuntu3.6", "util-linux", "2.37.2-4ubuntu3.6", UBUNTU),
    ("containerd.io", "2.3.2-1~ubuntu.22.04~jammy", "containerd.io",
     "2.3.2-1~ubuntu.22.04~jammy", "Containerd team <help@containerd.io>"),
    ("docker-ce", "5:29.7.0-1~ubuntu.22.04~jammy", "docker-ce", "5:29.7.0-1~ubuntu.22.04~jammy",
     "Docker <support@docker.com>"),
)  # fmt: skip
OWN = (
    (f"linux-image-{KERNEL}", "6.8.0-134.134~22.04.1", "linux-signed-hwe-6.8",
     "6.8.0-134.134~22.04.1", KERNEL_TEAM),
    ("datacenter-gpu-manager-4-core", "1:4.5.3-1", "datacenter-gpu-manager-4", "1:4.5.3-1", NVIDIA),
    ("enroot", "3.5.0-1", "enroot", "3.5.0-1", NVIDIA),
    ("libnccl2", "2.27.7-1+cuda13.0", "nccl", "2.27.7-1+cuda13.0", NVIDIA),
    ("libnvidia-container1", "1.19.1-1", "libnvidia-container", "1.19.1-1", NVIDIA),
    ("nvidia-container-toolkit", "1.19.1-1", "nvidia-container-toolkit", "1.19.1-1", NVIDIA),
    ("nvidia-driver-580-open", f"{DRIVER}-1ubuntu1", "nvidia-open", f"{DRIVER}-1ubuntu1", NVIDIA),
    ("nvidia-fabricmanager-580", f"{DRIVER}-1", "fabricmanager", f"{DRIVER}-1", NVIDIA),
    ("slurm-smd-slurmd", "25.05.4-1", "slurm-smd", "25.05.4-1",
     "SchedMD LLC <support@schedmd.com>"),
    ("munge", "0.5.18-1", "munge", "0.5.18-1", "Chris Dunlap <chris.m.dunlap@gmail.com>"),
)  # fmt: skip
# What Ubuntu has put into its own builds of these.
BACKPORTS = {
    "openssh-server": (
        "CVE-2024-6387", "CVE-2024-39894", "CVE-2025-26465", "CVE-2025-26466", "CVE-2025-32728",
        "CVE-2025-61984", "CVE-2025-61985", "CVE-2026-73281", "CVE-2026-73282", "CVE-2026-73283",
    ),
    "sudo": ("CVE-2025-32462", "CVE-2025-32463"),
    "systemd": ("CVE-2026-29111",),
    "util-linux": ("CVE-2024-28085", "CVE-2026-27456"),
    "libc6": (
        "CVE-2023-4806", "CVE-2023-4911", "CVE-2023-5156", "CVE-2024-2961", "CVE-2024-33599",
        "CVE-2024-33600", "CVE-2024-33601", "CVE-2024-33602", "CVE-2025-0395", "CVE-2025-15281",
        "CVE-2025-4802", "CVE-2025-8058", "CVE-2026-0861", "CVE-2026-0915", "CVE-2026-3904",
        "CVE-2026-4046", "CVE-2026-4437", "CVE-2026-4438", "CVE-2026-5435", "CVE-2026-5928",
        "CVE-2026-6238", "CVE-2026-6368", "CVE-2026-6791",
    ),
}  # fmt: skip


def captures() -> Iterator[Capture]:
    """The package database, and the changelogs of those who asked for them."""
    yield listed((*BASE, *OWN))
    yield absent(packages.RPM)
    yield absent(changelogs.RPM)
    yield written()


def listed(rows: tuple[tuple[str, str, str, str, str], ...]) -> Capture:
    """What dpkg-query prints for *rows*."""
    text = "".join(
        f"ii \t{name}\t{version}\tamd64\t{source}\t{source_version}\t{maintainer}\n"
        for name, version, source, source_version, maintainer in sorted(rows)
    )
    return answer(packages.DPKG, text)


def written() -> Capture:
    """Changelogs that name the backports."""
    versions = {name: (version, source) for name, version, source, _, _ in BASE}
    entries = []
    for package, cves in BACKPORTS.items():
        version, source = versions[package]
        items = "".join(
            f"    - debian/patches/{cve}.patch: check the input first.\n    - {cve}\n"
            for cve in cves
        )
        text = (
            f"{source} ({version}) jammy-security; urgency=medium\n\n"
            f"  * SECURITY UPDATE: several fixes\n{items}\n"
            f" -- A. Developer <a@example.org>  Mon, 01 Jun 2026 09:00:00 +0000\n"
        )
        path = f"/usr/share/doc/{package}/changelog.Debian.gz"
        entries.append(Entry(path, gzip.compress(text.encode(), mtime=0)))
    return Capture(changelogs.DEBIAN.source, dump(entries))
