"""What the next boot would bring."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files, listing
from assay.kit.seen import Seen
from assay.model.facts.boot import InstalledKernel, RebootRequired

IMAGES = listing("/boot/vmlinuz-*", name="kernel-images")
TREES = listing("/lib/modules/*", name="module-trees")
REBOOT = files("/run/{reboot-required,reboot-required.pkgs}", name="reboot-required")


@probe("system.installed-kernels", reads=[IMAGES, TREES])
def installed(seen: Seen) -> Iterator[InstalledKernel]:
    """Kernels on disk."""
    images = {e.path.removeprefix("/boot/vmlinuz-") for e in seen.entries(IMAGES)}
    trees = {e.path.rpartition("/")[2] for e in seen.entries(TREES)}
    for release in sorted(images | trees):
        if re.match(r"\d+\.\d", release):  # not 0-rescue-<machine id>
            yield InstalledKernel(release, release in images, release in trees)


@probe("system.reboot-required", reads=[REBOOT])
def reboot_required(seen: Seen) -> Iterator[RebootRequired]:
    """Whether packages ask for a reboot (Debian and Ubuntu leave a note)."""
    notes = {path.rpartition("/")[2]: text for path, text in seen.files(REBOOT)}
    if notes:
        packages = notes.get("reboot-required.pkgs", "").split()
        yield RebootRequired(tuple(sorted(set(packages))))
