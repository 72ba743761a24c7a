"""How container engines and the NVIDIA Container Toolkit are configured."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from typing import TypeVar

from assay.kit import json
from assay.kit.probe import probe
from assay.kit.reading import Reading, files, listing
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.containers import (
    ContainerdSetting,
    CrioSetting,
    DockerSetting,
    EngineSetting,
    ToolkitSetting,
)
from assay.model.facts.exposure import PathMode
from assay.probes.device_exposure import paths

DOCKER = files("/etc/docker/daemon.json", name="docker-daemon")
DOCKER_UNITS = files(
    "{/usr/lib/systemd/system/docker.service,/lib/systemd/system/docker.service,"
    "/etc/systemd/system/docker.service,/etc/systemd/system/docker.service.d/*.conf}",
    name="docker-units",
)
CONTAINERD = files(
    "{/etc/containerd/{config.toml,conf.d/*.toml},"
    "/var/lib/rancher/{k3s,rke2}/agent/etc/containerd/config.toml,"
    "/var/lib/rancher/{k3s,rke2}/agent/etc/containerd/config-v3.toml.d/*.toml}",
    name="containerd-config",
    looks_like=r"^[ \t]*\[plugins\.['\"]?io\.containerd\.",
)
CRIO = files("/etc/crio/{crio.conf,crio.conf.d/*}", name="crio-config")
TOOLKIT = files(
    "{/etc,/usr/local/nvidia/toolkit/.config}/nvidia-container-runtime/config.toml",
    name="nvidia-container-runtime-config",
    looks_like=r"^\[nvidia-container-(?:cli|runtime)\]",
)
CDI = listing("{/etc/cdi,/var/run/cdi}/*", name="cdi")
MOST_SETTINGS = 4000  # of one file; a sane one has some hundreds
_SECTION = re.compile(r"^\[\w+\]|^\w+[ \t]*=", re.MULTILINE)
_EXEC = re.compile(r"^ExecStart\s*=\s*(.*)", re.MULTILINE)


S = TypeVar("S", bound=EngineSetting)


# Each engine gives all of its settings or none: one unread file could overrule the others.
@probe("containers.docker-daemon", reads=[DOCKER, DOCKER_UNITS])
def docker(seen: Seen) -> Iterator[DockerSetting]:
    """Settings of the Docker daemon, from its file and the command line of its unit."""
    found: list[DockerSetting] = []
    for path, text in _whole(seen, DOCKER_UNITS):
        if text.strip() and not _SECTION.search(text):
            raise Unread(f"`{path}` is no unit: {text.strip()[:60]!r}")
        for line in _EXEC.findall(text.replace("\\\n", " ")):
            found += _command_line(line, path)
    for path, text in _whole(seen, DOCKER):
        top = json.mapping(json.value(text, path), path) if text.strip() else {}
        found += _settings(DockerSetting, top, path)
    yield from found


def _command_line(line: str, path: str) -> Iterator[DockerSetting]:
    """Addresses, registries and TLS of a dockerd command line."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise Unread(f"`{path}`: {error}") from error
    for at, word in enumerate(words):
        option, has_value, value = word.partition("=")
        following = words[at + 1] if at + 1 < len(words) else ""
        if option in ("-H", "--host"):
            yield DockerSetting("hosts", value if has_value else following, path)
        elif word.startswith("-H"):
            yield DockerSetting("hosts", word[2:], path)
        elif option == "--insecure-registry":
            yield DockerSetting("insecure-registries", value if has_value else following, path)
        elif option == "--tlsverify":
            yield DockerSetting("tlsverify", value if has_value else "true", path)


@probe("containers.containerd", reads=[CONTAINERD])
def containerd(seen: Seen) -> Iterator[ContainerdSetting]:
    """Settings of containerd, those of k3s and RKE2 included."""
    yield from _toml(seen, CONTAINERD, ContainerdSetting)


@probe("containers.crio", reads=[CRIO])
def crio(seen: Seen) -> Iterator[CrioSetting]:
    """Settings of CRI-O."""
    yield from _toml(seen, CRIO, CrioSetting)


@probe("containers.toolkit", reads=[TOOLKIT])
def toolkit(seen: Seen) -> Iterator[ToolkitSetting]:
    """Settings of the NVIDIA Container Toolkit on the host or from the GPU Operator."""
    yield from _toml(seen, TOOLKIT, ToolkitSetting)


@probe("containers.cdi", reads=[CDI])
def cdi(seen: Seen) -> Iterator[PathMode]:
    """Container Device Interface specifications."""
    yield from paths(seen, CDI)


def _toml(seen: Seen, reading: Reading, kind: type[S]) -> Iterator[S]:
    found: list[S] = []
    for path, text in _whole(seen, reading):
        try:
            top = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise Unread(f"`{path}` is not TOML: {error}") from error
        found += _settings(kind, top, path)
    yield from found


def _whole(seen: Seen, reading: Reading) -> list[tuple[str, str]]:
    """Every file of *reading*; one that is there and cannot be read makes all of it Unread."""
    lost = [f"`{e.path}`: {e.status}" for e in seen.entries(reading) if e.status != Status.ANSWERED]
    if lost:
        raise Unread("; ".join(lost))
    return list(seen.files(reading))


def _settings(kind: type[S], top: dict[str, object], path: str) -> list[S]:
    found = list(_flat("", top))
    if len(found) > MOST_SETTINGS:
        raise Unread(f"`{path}` has {len(found)} settings")
    return [kind(name, value, path) for name, value in found or [("", "")]]


def _flat(name: str, value: object) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from _flat(f"{name}.{key}" if name else str(key), inner)
        case list():
            for inner in value:
                yield from _flat(name, inner)
        case bool():
            yield name, "true" if value else "false"
        case _:
            yield name, str(value)
