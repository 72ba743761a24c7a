"""Where users and groups are looked up: local files or a directory."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.access import NameService

NSSWITCH = files(
    "{/etc,/usr/etc}/nsswitch.conf", name="nsswitch", looks_like=r"^passwd:\s+\w[^\n:]*$"
)
DATABASES = ("passwd", "group", "shadow", "sudoers", "initgroups")
_LINE = re.compile(r"\s*(\w+):\s*([^#]*)")
_ACTION = re.compile(r"\[[^\]]*\]")


@probe("security.name-services", reads=[NSSWITCH])
def name_services(seen: Seen) -> Iterator[NameService]:
    """Databases of nsswitch.conf and their sources, in order."""
    text = seen.file(NSSWITCH)
    if text is None:
        return
    found = [match for line in text.splitlines() if (match := _LINE.match(line))]
    if not found:
        raise Unread(f"`{NSSWITCH.source}` names no database: {text.strip()[:80]!r}")
    for match in found:
        if match[1] in DATABASES:
            yield NameService(match[1], tuple(_ACTION.sub(" ", match[2]).split()))
