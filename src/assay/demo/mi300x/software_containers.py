"""Container engines of the MI300X node: Docker, without anything of NVIDIA's."""

from collections.abc import Iterator

from assay.demo.hgx_h100.software_containers import CONTAINERD, SOCKETS, UNIT
from assay.demo.hosts import absent, pack
from assay.model.evidence import Capture
from assay.probes import containers, device_exposure


def captures() -> Iterator[Capture]:
    """Docker at its defaults."""
    yield pack(containers.DOCKER, {"/etc/docker/daemon.json": '{"log-driver": "local"}\n'})
    yield pack(containers.DOCKER_UNITS, {"/usr/lib/systemd/system/docker.service": UNIT})
    yield pack(containers.CONTAINERD, {"/etc/containerd/config.toml": CONTAINERD})
    yield absent(containers.CRIO)
    yield absent(containers.TOOLKIT)
    yield absent(containers.CDI)
    yield pack(device_exposure.SOCKETS, SOCKETS)
