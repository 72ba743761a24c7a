"""Docker's API over TCP without client certificates is root for the whole network."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import Listener
from assay.model.facts.containers import DockerSetting
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.containers import DOCKER

PLAIN = 2375  # the port that Docker's documentation uses without TLS
LOCAL = ("tcp://127.", "tcp://localhost", "tcp://[::1]")


@check(
    "containers.docker-tcp",
    asks="Does the Docker daemon stay off the network?",
    severity=Severity.CRITICAL,
    why="The API asks for nothing: whoever reaches the port runs anything as root.",
    fix='Remove the tcp:// address from "hosts" in daemon.json and from the unit, or set '
    '"tlsverify" with certificates for clients.',
    see=["https://docs.docker.com/engine/security/protect-access/"],
    reproduce="grep -r tcp:// /etc/docker/daemon.json /etc/systemd/system/docker.service.d; "
    "ss -ltn | grep 2375",
    plants=[
        plant(
            Edit(
                DOCKER.source,
                path="/etc/docker/daemon.json",
                old='"runtimes"',
                new='"hosts": ["unix:///run/docker.sock", "tcp://0.0.0.0:2375"], "runtimes"',
            )
        )
    ],
)
def docker_tcp(
    settings: Sequence[DockerSetting], listeners: Sequence[Listener] | None
) -> Iterator[Verdict]:
    """Addresses of the daemon, and who listens on its usual port."""
    if not settings:
        return
    verified = any(s.name == "tlsverify" and s.value == "true" for s in settings)
    network = [s for s in settings if s.name == "hosts" and s.value.startswith("tcp://")]
    for setting in network:
        if verified:
            yield passed("docker", f"{setting.value} asks clients for certificates")
        elif setting.value.startswith(LOCAL):
            because = f"{setting.value} makes every local user root ({setting.path})"
            yield failed("docker", because, severity=Severity.HIGH)
        else:
            yield failed("docker", f"{setting.value} without tlsverify ({setting.path})")
    if network:
        return
    if any(listener.port == PLAIN for listener in listeners or ()):
        yield unknown(
            "docker", f"no setting names a TCP address, and something listens on port {PLAIN}, "
            "which is Docker's; who it is was not looked at"
        )  # fmt: skip
    else:
        hosts = ", ".join(sorted({s.value for s in settings if s.name == "hosts"})) or "its default"
        yield passed("docker", f"the daemon listens on {hosts}, not on TCP")
