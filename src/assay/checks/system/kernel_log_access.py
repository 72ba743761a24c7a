"""Users find their own Xid errors when they may read the kernel log."""

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

NAME = "kernel.dmesg_restrict"


@check(
    "system.kernel-log-access",
    asks="May an ordinary user read the kernel log?",
    severity=Severity.INFO,
    why="GPU and fabric errors show there first; a user who cannot read it cannot tell a bad node "
    "from a bad program.",
    fix="sysctl -w kernel.dmesg_restrict=0 on nodes that one tenant has to itself, or put users "
    "into the group adm or systemd-journal.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/sysctl/kernel.html"],
    reproduce="cat /proc/sys/kernel/dmesg_restrict",
    plants=[plant(Edit(SETTINGS.source, path="/proc/sys/kernel/dmesg_restrict", new="1\n"))],
)
def kernel_log_access(
    settings: Sequence[Sysctl], devices: Sequence[PciDevice]
) -> Iterator[Verdict]:
    """Read kernel.dmesg_restrict."""
    if not accelerators(devices):
        return
    value = level(settings, NAME)
    if value is None:
        yield unknown(HOST, f"{NAME} was not read")
    elif value:
        yield failed(HOST, f"{NAME} is {value}, 0 is wanted")
    else:
        yield passed(HOST, f"{NAME} is 0")
