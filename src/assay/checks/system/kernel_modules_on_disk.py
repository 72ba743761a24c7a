"""A running kernel whose modules were removed can load nothing any more."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.boot import InstalledKernel
from assay.model.facts.dmi import Virtualization
from assay.model.facts.system import Kernel
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed
from assay.model.outcome import Severity
from assay.probes.kernel_installed import TREES


@check(
    "system.kernel-modules-on-disk",
    asks="Are the modules of the running kernel still on disk?",
    severity=Severity.MEDIUM,
    why="After an upgrade removed them, no driver can be loaded or rebuilt until the reboot: a "
    "GPU or NIC driver that is unloaded stays away.",
    fix="Reboot into the installed kernel, or install the running kernel's modules again.",
    see=["https://man7.org/linux/man-pages/man8/modprobe.8.html"],
    reproduce="ls -d /lib/modules/$(uname -r)",
    plants=[
        plant(
            Edit(
                TREES.source,
                old="/lib/modules/6.8.0-134-generic ",
                new="/lib/modules/6.8.0-1071-nvidia ",
            )
        ),
    ],
)
def kernel_modules_on_disk(
    kernels: Sequence[Kernel],
    installed: Sequence[InstalledKernel],
    virtualization: Sequence[Virtualization],
) -> Iterator[Verdict]:
    """Look for /lib/modules of the running kernel."""
    trees = {kernel.release for kernel in installed if kernel.modules}
    if container := next((v.container for v in virtualization if v.container), ""):
        yield not_applicable(HOST, f"inside a container ({container})")
    elif not trees:
        yield not_applicable(HOST, "no kernel has modules on this disk")
    else:
        for kernel in kernels:
            if kernel.release in trees:
                yield passed(HOST, f"/lib/modules/{kernel.release} is there")
            else:
                has = ", ".join(sorted(trees)[-3:])
                yield failed(HOST, f"{kernel.release} runs, /lib/modules has only {has}")
