"""What the Docker daemon says about itself and about the containerd and runc that it runs."""

import re
from collections.abc import Iterator
from typing import Any

from assay.kit import json
from assay.kit.probe import probe
from assay.kit.reading import command
from assay.kit.seen import Seen, Unread
from assay.model.facts.software import Software
from assay.probes.software_unread import or_unread

# Asks the daemon over its local socket; a daemon that hangs must not hold up the rest.
VERSION = command(
    "docker",
    "version",
    "--format",
    "{{json .}}",
    deadline=2.0,
    looks_like=r'^[ \t]*\{"Client":\{(?:"Platform":\{[^}]*\},)?"(?:Version|APIVersion)":"[^"]*"',
)
NO_DAEMON = re.compile(r"cannot connect to the docker daemon|no such file", re.IGNORECASE)
_COMPONENTS = {"engine": "docker", "containerd": "containerd", "runc": "runc"}


@probe("software.docker", reads=[VERSION])
def docker(seen: Seen) -> Iterator[Software]:
    """Docker's client and daemon, and the runtime that the daemon uses.

    A daemon that does not answer to this user has an empty version.
    """
    if not seen.absent(VERSION):
        yield from or_unread(seen, VERSION, ["docker"], _docker(seen), "binary")


def _docker(seen: Seen) -> Iterator[Software]:
    # Exit 1 is "no daemon, or not for this user": the client's half is printed all the same.
    capture = seen.answered(VERSION, exits=(0, 1))
    text = capture.data.decode("utf-8", "replace")
    start = text.find("{")
    if start < 0:
        raise Unread(f"`docker version` printed no JSON: {(capture.stderr or text)[:200]!r}")
    top = json.mapping(json.value(text[start:], "`docker version`"), "`docker version`")
    client, server = top.get("Client"), top.get("Server")
    if isinstance(client, dict) and "APIVersion" in client:  # podman answers to this name, too
        yield from _software("podman", client, detail="as docker")
        return
    if isinstance(client, dict):
        yield from _software("docker-cli", client)
    if not isinstance(server, dict):
        why = " ".join(capture.stderr.split())[:200]
        if NO_DAEMON.search(why):
            return
        if not isinstance(client, dict) or (not why and capture.exit_code in (0, None)):
            raise Unread("`docker version` printed no Server")
        # There is a daemon, and it keeps its version from us.
        yield Software("docker", "", "binary", detail=f"the daemon did not answer: {why}")
        return
    components = server.get("Components")
    if not isinstance(components, list) or not components:
        yield from _software("docker", server)
        return
    for row in components:
        found = json.mapping(row, "a component of `docker version`")
        component = _COMPONENTS.get(str(found.get("Name", "")).lower())
        if component:
            yield from _software(component, found, detail="used by docker")


def _software(component: str, found: dict[str, Any], detail: str = "") -> Iterator[Software]:
    version = found.get("Version")
    if isinstance(version, str) and version[:1].isalnum():
        yield Software(component, version.removeprefix("v"), "binary", detail=detail)
