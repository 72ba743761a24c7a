"""Container engines of the H100 node."""

import json
from collections.abc import Iterator

from assay.demo.hosts import absent, pack
from assay.model.evidence import Capture
from assay.probes import containers, device_exposure

DAEMON = {
    "runtimes": {"nvidia": {"args": [], "path": "nvidia-container-runtime"}},
    "log-driver": "json-file",
}
UNIT = (
    "[Unit]\nDescription=Docker Application Container Engine\n\n[Service]\nType=notify\n"
    "ExecStart=/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock\n"
)
CONTAINERD = 'disabled_plugins = ["cri"]\n'
TOOLKIT = """\
accept-nvidia-visible-devices-as-volume-mounts = true
accept-nvidia-visible-devices-envvar-when-unprivileged = false
disable-require = false
supported-driver-capabilities = "compat32,compute,display,graphics,ngx,utility,video"

[nvidia-container-cli]
environment = []
ldconfig = "@/sbin/ldconfig.real"
load-kmods = true
#no-cgroups = false

[nvidia-container-runtime]
log-level = "info"
mode = "auto"
runtimes = ["runc", "crun"]

[nvidia-container-runtime-hook]
path = "nvidia-container-runtime-hook"
"""
SOCKETS = {
    "/run/docker.sock": "s 0660 0 998 - 0",
    "/run/containerd/containerd.sock": "s 0660 0 0 - 0",
}


def captures() -> Iterator[Capture]:
    """Docker with the NVIDIA runtime; containerd belongs to Docker alone."""
    yield pack(containers.DOCKER, {"/etc/docker/daemon.json": json.dumps(DAEMON, indent=4) + "\n"})
    yield pack(containers.DOCKER_UNITS, {"/usr/lib/systemd/system/docker.service": UNIT})
    yield pack(containers.CONTAINERD, {"/etc/containerd/config.toml": CONTAINERD})
    yield absent(containers.CRIO)
    yield pack(containers.TOOLKIT, {"/etc/nvidia-container-runtime/config.toml": TOOLKIT})
    yield absent(containers.CDI)
    yield pack(device_exposure.SOCKETS, SOCKETS)
