"""The socket of a container engine is root's own door."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.exposure import PathMode
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.device_exposure import SOCKETS


@check(
    "containers.engine-socket",
    asks="Are the sockets of container engines closed to ordinary users?",
    severity=Severity.CRITICAL,
    why="Whoever may write to the socket starts a container with the root file system in it, and "
    "is root on the node.",
    fix="Restore mode 0660 (root:docker) or 0600, and remove whatever runs chmod on the socket.",
    see=["https://docs.docker.com/engine/security/#docker-daemon-attack-surface"],
    reproduce="ls -l /run/docker.sock /run/containerd/containerd.sock /run/crio/crio.sock",
    plants=[plant(Edit(SOCKETS.source, path="/run/docker.sock", new="s 0666 0 998 - 0"))],
)
def engine_socket(paths: Sequence[PathMode]) -> Iterator[Verdict]:
    """Every socket of an engine that is there."""
    for path in paths:
        if path.type != "s" or not path.path.startswith("/run/"):
            continue
        if path.others_write:
            yield failed(path.path, f"mode {path.mode:04o}: every user may command the engine")
        else:
            yield passed(path.path, f"mode {path.mode:04o}, closed to others")
