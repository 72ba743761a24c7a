"""Which distribution is it?"""

import shlex
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.system import OperatingSystem
from assay.probes.kernel_values import plain_lines

OS_RELEASE = files(
    "/{etc,usr/lib}/os-release",
    name="os-release",
    looks_like=r"^(?:PRETTY_NAME|VERSION_ID|VERSION_CODENAME|ID)=[\"']?[^\n]+$",
)


@probe("system.os-release", reads=[OS_RELEASE])
def os_release(seen: Seen) -> Iterator[OperatingSystem]:
    """The distribution and its version."""
    text = seen.file(OS_RELEASE)
    if text is None:
        return
    values = _values(text)
    if not values.get("ID") and not values.get("NAME"):
        raise Unread("os-release names no distribution (no ID, no NAME)")
    yield OperatingSystem(
        id=values.get("ID", ""),
        version=values.get("VERSION_ID", values.get("BUILD_ID", "")),
        name=values.get("PRETTY_NAME", values.get("NAME", "")),
        like=tuple(values.get("ID_LIKE", "").split()),
        codename=values.get("VERSION_CODENAME", values.get("UBUNTU_CODENAME", "")),
    )


def _values(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in plain_lines(text):
        name, equals, value = line.strip().partition("=")
        if equals and name.replace("_", "").isalnum() and name.isupper():
            found.setdefault(name, _unquoted(value))
    return found


def _unquoted(value: str) -> str:
    try:
        words = shlex.split(value)
    except ValueError:
        return value.strip("\"'")
    return " ".join(words)
