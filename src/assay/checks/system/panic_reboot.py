"""A node that panicked should come back by itself."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.checks.system.setting import level
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import Sysctl
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.sysctl import SETTINGS

NAME = "kernel.panic"


@check(
    "system.panic-reboot",
    asks="Does the node reboot by itself after a kernel panic?",
    severity=Severity.INFO,
    why="With kernel.panic at 0 a crashed node hangs until somebody presses a button, and counts "
    "as down all that time.",
    fix="sysctl -w kernel.panic=10, and keep it in /etc/sysctl.d/ (kdump reboots on its own).",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/sysctl/kernel.html"],
    reproduce="cat /proc/sys/kernel/panic",
    plants=[plant(Edit(SETTINGS.source, path="/proc/sys/kernel/panic", new="0\n"))],
)
def panic_reboot(settings: Sequence[Sysctl], devices: Sequence[PciDevice]) -> Iterator[Verdict]:
    """Read kernel.panic: seconds until the reboot, 0 for never, below 0 for at once."""
    if not accelerators(devices):
        return
    value = level(settings, NAME)
    if value is None:
        yield unknown(HOST, f"{NAME} was not read")
    elif value:
        yield passed(HOST, f"{NAME} is {value}")
    else:
        yield failed(HOST, f"{NAME} is 0: it never reboots")
