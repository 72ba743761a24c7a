"""The machine's own name, by which schedulers and monitoring know it."""

from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files
from assay.kit.seen import Seen, Unread
from assay.model.facts.hostname import Hostname

HOSTNAME = files("/proc/sys/kernel/hostname", name="hostname")
MOST = 253  # characters in a DNS name


@probe("system.hostname", reads=[HOSTNAME])
def hostname(seen: Seen) -> Iterator[Hostname]:
    """The kernel's host name."""
    text = seen.file(HOSTNAME)
    if text is None:
        return
    name = text.strip()
    if not name or len(name) > MOST or not all(c.isalnum() or c in "-._" for c in name):
        raise Unread(f"no host name: {name[:80]!r}")
    yield Hostname(name)
