"""CUDA toolkits: 12.6U2, 12.6 Update 2 and 12.6.2 are one version.

The compiler states a build of its own (V12.6.77), which is no update: such a text says only
"12.6, some update". The "CUDA Version" of nvidia-smi is the driver's and never comes here.
"""

import re

from assay.advisories.versions.scheme import BadVersion, Version

_SHAPE = re.compile(
    r"V?(\d{1,2})\.(\d{1,2})(?:\.(\d{1,3}))?(?:\.\d+)?(?:(?: ?[Uu]| [Uu]pdate )(\d))?(?:-\d+)?"
)
_MOST = 9  # updates of one toolkit release; NVIDIA never shipped more than three


def parse(text: str) -> Version:
    """major.minor.update; a compiler build number leaves the update open."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise BadVersion(f"{text[:40]!r} is not a CUDA toolkit version")
    major, minor = int(found.group(1)), int(found.group(2))
    third, update = found.group(3), found.group(4)
    if update is not None:
        low = high = int(update)
    elif third is None:
        low = high = 0
    elif text.startswith("V") or int(third) > _MOST:
        low, high = 0, _MOST
    else:
        low = high = int(third)
    return Version(
        text, (major, minor, low), (major, minor, high), branch=f"{major}.{minor}",
        order=(major, minor),
    )  # fmt: skip
