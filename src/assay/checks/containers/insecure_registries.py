"""Images over plain HTTP, or from a registry that proves nothing, can be anybody's."""

import re
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.containers import ContainerdSetting, CrioSetting, DockerSetting
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.containers import DOCKER

LOCAL = re.compile(r"(?:https?://)?(?:localhost|127\.|\[?::1)")
UNCHECKED = re.compile(r"registry\.(?:configs\.)?(?P<host>.+)\.tls\.insecure_skip_verify$")


@check(
    "containers.insecure-registries",
    asks="Are images taken only from registries that prove who they are?",
    severity=Severity.LOW,
    why="Whoever is on the path between node and registry can put his own code into every job.",
    fix="Give the registry a certificate and remove it from insecure-registries.",
    see=["https://docs.docker.com/reference/cli/dockerd/#insecure-registries"],
    reproduce="grep -A3 insecure /etc/docker/daemon.json /etc/containerd/config.toml",
    plants=[
        plant(
            Edit(
                DOCKER.source,
                path="/etc/docker/daemon.json",
                old='"runtimes"',
                new='"insecure-registries": ["registry.example.net:5000"], "runtimes"',
            )
        )
    ],
)
def insecure_registries(
    docker: Sequence[DockerSetting],
    containerd: Sequence[ContainerdSetting],
    crio: Sequence[CrioSetting],
) -> Iterator[Verdict]:
    """Exceptions in the settings of each engine that is installed."""
    bad = {
        "docker": [s.value for s in docker if s.name == "insecure-registries"],
        "containerd": [
            found["host"]
            for s in containerd
            if s.value == "true" and (found := UNCHECKED.search(s.name))
        ],
        "cri-o": [s.value for s in crio if s.name == "crio.image.insecure_registries"],
    }
    for engine, settings in (("docker", docker), ("containerd", containerd), ("cri-o", crio)):
        hosts = sorted({host for host in bad[engine] if not LOCAL.match(host)})
        if hosts:
            yield failed(engine, f"takes images unchecked from {', '.join(hosts)}")
        elif settings:
            yield passed(engine, "no registry is exempt from proving who it is")
