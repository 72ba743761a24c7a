"""Ubuntu kernels: the ABI number restarts in every flavour, so the source package is compared.

``uname -r`` (6.8.0-1055-nvidia) names base, ABI and flavour; ``uname -v`` (#58-Ubuntu) or the
package version (6.8.0-1055.58) adds the upload. Without the upload the ABI decides: Ubuntu
publishes an ABI to users in one upload.
"""

import re

from assay.advisories.versions.scheme import BadVersion, Version

_PACKAGE = re.compile(
    r"(\d+)\.(\d+)\.(\d+)-(\d+)(?:\.(\d+)(?:\.(\d+))?)?(?:~(\d+)\.(\d+)(?:\.(\d+))?)?"
)
_RELEASE = re.compile(r"(\d+\.\d+\.\d+-\d+)-([a-z][a-z0-9\-]*)")
_BUILD = re.compile(r"#(\d+(?:\.\d+)*(?:~[\d.]+)?)-Ubuntu")


def parse(text: str) -> Version:
    """A source package version (6.8.0-1055.58~22.04.1), or one without its upload."""
    found = _PACKAGE.fullmatch(text)
    if found is None:
        raise BadVersion(f"{text[:40]!r} is not an Ubuntu kernel version")
    numbers = [int(n) if n is not None else None for n in found.groups()]
    base, upload = tuple(n or 0 for n in numbers[:4]), numbers[4]
    if upload is None:  # every upload of this ABI that can have reached a user
        return Version(text, (*base, 1 << 20, 0), (*base, 1 << 20, 0), branch=text)
    key = (*base, upload, numbers[5] or 0)
    return Version(text, key, key, branch=text)


def flavour(release: str) -> str:
    """The flavour in a uname -r: ``nvidia``, ``gke``, ``generic``; empty when it is none."""
    found = _RELEASE.fullmatch(release)
    return found.group(2) if found else ""


def package_version(release: str, build: str) -> str:
    """The source package version of a running kernel, as far as uname tells it.

    >>> package_version("6.8.0-1055-nvidia", "#58-Ubuntu SMP PREEMPT_DYNAMIC")
    '6.8.0-1055.58'
    >>> package_version("6.8.0-1055-nvidia", "")
    '6.8.0-1055'
    """
    found = _RELEASE.fullmatch(release)
    if found is None:
        return ""
    upload = _BUILD.search(build)
    return found.group(1) + (f".{upload.group(1)}" if upload else "")
