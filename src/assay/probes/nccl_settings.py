"""Settings of NCCL, RCCL, UCX and libfabric that hold for every user of the node."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import command, files
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Status
from assay.model.facts.network import NcclSetting
from assay.probes.pasted import clean
from assay.probes.rdma_words import lines

_NAME = r"(?:NCCL|RCCL|UCX|FI|SHARP)_[A-Z0-9_]+"
CONF = files("/etc/nccl.conf", name="nccl.conf", looks_like=rf"^[ \t]*(?:export\s+)?{_NAME}=.*$")
# These files may hold passwords: grep takes the lines of the fabric's libraries, no others.
ENVIRONMENT = command(
    "grep",
    "-rHsE",
    r"^[[:space:]]*(export[[:space:]]+|setenv[[:space:]]+)?(NCCL|RCCL|UCX|FI|SHARP)_[A-Z0-9_]+[=[:space:]]",
    "/etc/environment",
    "/etc/environment.d",
    "/etc/profile.d",
    "/etc/security/pam_env.conf",
    name="system-wide-nccl-environment",
    deadline=5.0,
    cap=1 << 20,
    looks_like=rf"^/etc/\S+?:\s*(?:export\s+)?{_NAME}=.*$",
)

_SETTING = re.compile(
    rf"^[ \t]*(?:export\s+|setenv\s+)?({_NAME})\s*(?:=|\s)\s*(?:DEFAULT=)?(.*?)\s*(?:\s#.*)?$"
)
_ASSIGNMENT = re.compile(r"[ \t]*(?:export[ \t]+)?\w+[ \t]*=")
_SECRET = re.compile(r"TOKEN|SECRET|PASSW|KEY$|CREDENTIAL")


@probe("network.nccl-settings", reads=[CONF, ENVIRONMENT])
def settings(seen: Seen) -> Iterator[NcclSetting]:
    """System-wide settings of the collective and transport libraries."""
    unread = []
    for source in (_conf, _environment):
        try:
            for path, line in source(seen):
                yield from _setting(line, path)
        except Unread as reason:
            unread.append(str(reason))
    if unread:
        raise Unread("; ".join(unread))


def _conf(seen: Seen) -> Iterator[tuple[str, str]]:
    for entry in seen.entries(CONF):
        if entry.status != Status.ANSWERED:
            raise Unread(f"`{entry.path}`: {entry.status}")
        found = list(lines(clean(entry.data.decode("utf-8", "replace"))))
        said = [line for line in found if line.strip() and line.strip()[0] != "#"]
        if said and not any(_ASSIGNMENT.match(line) for line in said):
            raise Unread(f"`{entry.path}` sets nothing: {said[0].strip()[:60]!r}")
        for line in found:
            yield entry.path, line


def _environment(seen: Seen) -> Iterator[tuple[str, str]]:
    # grep exits with 1 when no line matches and with 2 when one of the files does not exist
    text = clean(seen.text(ENVIRONMENT, exits=(0, 1, 2)))
    capture = seen.capture(ENVIRONMENT)
    if not text.strip() and capture is not None and capture.exit_code == 0:
        raise Unread("grep found lines, and printed none")
    for line in lines(text):
        path, colon, rest = line.partition(":")
        if colon and path.startswith("/"):
            yield path, rest
        elif line.strip():
            raise Unread(f"grep printed {line.strip()[:60]!r}")


def _setting(line: str, path: str) -> Iterator[NcclSetting]:
    found = _SETTING.match(line)
    if found and not _SECRET.search(found.group(1)):
        value = found.group(2).strip("\"'")
        yield NcclSetting(found.group(1), value, path)
