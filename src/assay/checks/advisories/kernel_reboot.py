"""Is a newer kernel installed than the one that runs?"""

import re
from collections.abc import Iterator, Sequence

from assay.advisories import kernels
from assay.advisories.versions import BadVersion, Version, parse
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.boot import InstalledKernel
from assay.model.facts.system import Kernel
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.kernel_installed import IMAGES


@check(
    "advisories.kernel-reboot",
    asks="Does the newest installed kernel of this flavour run?",
    severity=Severity.MEDIUM,
    why="An installed fix that waits for a reboot fixes nothing, and looks patched to others.",
    fix="Drain the node and reboot it.",
    see=["https://wiki.ubuntu.com/Kernel/FAQ"],
    reproduce="uname -r; ls /boot/vmlinuz-*",
    plants=[
        plant(
            Edit(
                IMAGES.source,
                "f 0600 0 0 - 15002504",
                path="/boot/vmlinuz-6.8.0-140-generic",
            )
        )
    ],
)
def kernel_reboot(
    running: Sequence[Kernel], installed: Sequence[InstalledKernel]
) -> Iterator[Verdict]:
    """Compare the running release with the others of its flavour in /boot."""
    for kernel in running:
        mine = _place(kernel.release)
        if mine is None:
            yield unknown(HOST, f"{kernel.release} is in no order that we know")
            continue
        images = [k.release for k in installed if k.image]
        if not images:
            continue  # a container, or a machine that boots from elsewhere
        newer = {r: p for r in images if (p := _place(r)) and _after(p, mine)}
        if newer:
            waiting = max(newer, key=lambda release: newer[release][1].low)
            yield failed(HOST, f"{kernel.release} runs, {waiting} is installed: reboot pending")
        elif kernel.release in images:
            yield passed(HOST, f"{kernel.release} runs, and nothing newer is installed")
        else:
            yield unknown(HOST, f"{kernel.release} runs, and its image is not in /boot")


def _place(release: str) -> tuple[str, Version] | None:
    """The flavour of a release, and its place among releases of the same flavour."""
    thing = kernels.installed(release)
    try:
        if thing.distro == "ubuntu":
            return thing.variant, parse("ubuntu_kernel", thing.source_version)
        place = parse("loose", release.partition("+")[0])
        return re.sub(r"^[\d.]+-?[\d.]*", "", release), place
    except BadVersion:
        return None


def _after(other: tuple[str, Version], mine: tuple[str, Version]) -> bool:
    return other[0] == mine[0] and mine[1].before(other[1]) is True
