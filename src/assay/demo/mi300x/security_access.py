"""Who gets into the MI300X node, and what runs and listens there."""

from collections.abc import Iterator

from assay.demo.hgx_h100.security_access import (
    ANY,
    CLOUD_INIT,
    GROUP,
    NSSWITCH,
    PASSWD,
    SSHD,
    SUDOERS,
    listening,
    running,
)
from assay.demo.hosts import answer, pack
from assay.model.evidence import Capture
from assay.probes import identity, processes, sshd, users, users_sudo

PROGRAMS = (
    "systemd", "systemd-journal", "systemd-udevd", "sshd", "cron", "chronyd", "sssd", "dockerd",
    "containerd", "gpuagent",
)  # fmt: skip


def captures() -> Iterator[Capture]:
    """Accounts, sudo, sshd, directory, programs and ports, as root reads them."""
    yield pack(users.PASSWD, {"/etc/passwd": PASSWD})
    yield pack(users.GROUP, {"/etc/group": GROUP + "render:x:110:ubuntu\n"})
    yield pack(identity.NSSWITCH, {"/etc/nsswitch.conf": NSSWITCH})
    yield pack(
        users_sudo.SUDOERS,
        {"/etc/sudoers": SUDOERS, "/etc/sudoers.d/90-cloud-init-users": CLOUD_INIT},
    )
    yield pack(sshd.CONFIG, {"/etc/ssh/sshd_config": SSHD})
    yield answer(processes.PROCESSES, running(PROGRAMS))
    yield answer(processes.LISTENERS, listening(((ANY, 22), ("[::]", 22))))
