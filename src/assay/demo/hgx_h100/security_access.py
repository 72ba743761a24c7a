"""Who gets into the H100 node, and what runs and listens there."""

from collections.abc import Iterator

from assay.demo.hosts import answer, pack
from assay.model.evidence import Capture
from assay.probes import identity, processes, sshd, users, users_sudo

PASSWD = """\
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
bin:x:2:2:bin:/bin:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
sshd:x:106:65534::/run/sshd:/usr/sbin/nologin
munge:x:64029:64029::/nonexistent:/usr/sbin/nologin
slurm:x:64030:64030::/nonexistent:/usr/sbin/nologin
ubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash
"""
GROUP = """\
root:x:0:
adm:x:4:syslog,ubuntu
sudo:x:27:ubuntu
docker:x:998:ubuntu
munge:x:64029:
slurm:x:64030:
ubuntu:x:1000:
"""
NSSWITCH = """\
# /etc/nsswitch.conf
passwd:         files systemd sss
group:          files systemd sss
shadow:         files sss
hosts:          files dns
sudoers:        files sss
"""
SUDOERS = """\
Defaults\tenv_reset
Defaults\tsecure_path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# User privilege specification
root\tALL=(ALL:ALL) ALL
%sudo\tALL=(ALL:ALL) ALL

@includedir /etc/sudoers.d
"""
CLOUD_INIT = "# User rules for ubuntu\nubuntu ALL=(ALL) NOPASSWD:ALL\n"
SSHD = """\
Include /etc/ssh/sshd_config.d/*.conf

#PermitRootLogin prohibit-password
#PermitEmptyPasswords no
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM yes
X11Forwarding yes
PrintMotd no
AcceptEnv LANG LC_*
Subsystem\tsftp\t/usr/lib/openssh/sftp-server
"""
PROGRAMS = (
    "systemd", "systemd-journal", "systemd-udevd", "sshd", "cron", "chronyd", "sssd", "dockerd",
    "containerd", "slurmd", "nv-hostengine", "nv-fabricmanage", "nvidia-persiste",
)  # fmt: skip
ANY = "0.0.0.0"  # noqa: S104 - printed, not bound
PORTS = (
    (ANY, 22), (ANY, 6818), ("127.0.0.1", 5555), (ANY, 9100), ("[::]", 22),
)  # fmt: skip


def running(programs: tuple[str, ...]) -> str:
    """What ps prints, with system users, an exporter and a person's job."""
    rows = [(0, name) for name in programs]
    rows += [(64029, "munged"), (65534, "node_exporter"), (1000, "bash"), (1000, "python3")]
    return "".join(f"{uid:>5} {name}\n" for uid, name in rows)


def listening(ports: tuple[tuple[str, int], ...]) -> str:
    """What `ss -ltn` prints."""
    head = "State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\n"
    rows = []
    for address, port in ports:
        peer = "[::]:*" if address.startswith("[") else f"{ANY}:*"
        rows.append(f"LISTEN 0      4096   {address + ':' + str(port):>20} {peer:>14}\n")
    return head + "".join(rows)


def captures() -> Iterator[Capture]:
    """Accounts, sudo, sshd, directory, programs and ports, as root reads them."""
    yield pack(users.PASSWD, {"/etc/passwd": PASSWD})
    yield pack(users.GROUP, {"/etc/group": GROUP})
    yield pack(identity.NSSWITCH, {"/etc/nsswitch.conf": NSSWITCH})
    yield pack(
        users_sudo.SUDOERS,
        {"/etc/sudoers": SUDOERS, "/etc/sudoers.d/90-cloud-init-users": CLOUD_INIT},
    )
    yield pack(sshd.CONFIG, {"/etc/ssh/sshd_config": SSHD})
    yield answer(processes.PROCESSES, running(PROGRAMS))
    yield answer(processes.LISTENERS, listening(PORTS))
