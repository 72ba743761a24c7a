"""A fix that is installed but not running protects nobody."""

import re
from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.boot import InstalledKernel, RebootRequired
from assay.model.facts.dmi import Virtualization
from assay.model.facts.system import Kernel
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed
from assay.model.outcome import Severity
from assay.probes.kernel_installed import IMAGES, REBOOT


@check(
    "system.pending-reboot",
    asks="Does the node run the newest kernel that it has installed, with no reboot pending?",
    severity=Severity.MEDIUM,
    why="Security fixes of the kernel and of core libraries count from the reboot, not from the "
    "installation.",
    fix="Drain the node, reboot it, and let the scheduler take it back.",
    see=["https://www.debian.org/doc/debian-policy/ch-opersys.html"],
    reproduce="uname -r; ls /boot/vmlinuz-*; cat /run/reboot-required*",
    plants=[
        plant(
            Edit(
                IMAGES.source,
                path="/boot/vmlinuz-6.8.0-141-generic",
                new="f 0600 0 0 - 15123456",
            ),
            name="a newer kernel of the same flavour",
        ),
        plant(
            Edit(
                REBOOT.source,
                path="/run/reboot-required.pkgs",
                new="linux-image-6.8.0-141-generic\nlibc6\n",
            ),
            name="packages ask for it",
        ),
    ],
)
def pending_reboot(
    kernels: Sequence[Kernel],
    installed: Sequence[InstalledKernel],
    required: Sequence[RebootRequired],
    virtualization: Sequence[Virtualization],
) -> Iterator[Verdict]:
    """Compare the running kernel with the newest installed one of its flavour."""
    if container := next((v.container for v in virtualization if v.container), ""):
        yield not_applicable(HOST, f"inside a container ({container})")
        return
    for note in required:
        packages = ", ".join(note.packages[:6]) or "a package that is not named"
        yield failed("packages", f"a reboot is required by {packages}")
    bootable = [k for k in installed if k.image] or [k for k in installed if k.modules]
    for kernel in kernels:
        flavour = flavour_of(kernel.release)
        alike = [k.release for k in bootable if flavour_of(k.release) == flavour]
        if kernel.release not in alike:
            continue  # booted from elsewhere: what is on disk says nothing
        newest = max(alike, key=age)
        if age(newest) > age(kernel.release):
            yield failed("kernel", f"{kernel.release} runs, {newest} is installed")
        else:
            yield passed("kernel", f"{kernel.release} runs and is the newest of {len(alike)}")


def flavour_of(release: str) -> str:
    """A release without its numbers: "6.8.0-45-generic" is of the flavour "generic"."""
    return re.sub(r"[\d._~+-]", "", release)


def age(release: str) -> tuple[int, ...]:
    """The numbers of a release, in order."""
    return tuple(int(number[:18]) for number in re.findall(r"\d+", release))
