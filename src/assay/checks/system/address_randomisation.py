"""Random addresses make memory bugs hard to use."""

from collections.abc import Iterator, Sequence

from assay.checks.system.setting import level
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.system import Sysctl
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.sysctl import SETTINGS

NAME = "kernel.randomize_va_space"
FULL = 2


@check(
    "system.address-randomisation",
    asks="Are the addresses of programs fully randomised?",
    severity=Severity.LOW,
    why="Without it every exploit of a memory bug works the first time. It is full by default; "
    "somebody turned it down.",
    fix="sysctl -w kernel.randomize_va_space=2; remove norandmaps from the boot options.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/sysctl/kernel.html"],
    reproduce="cat /proc/sys/kernel/randomize_va_space",
    plants=[plant(Edit(SETTINGS.source, path="/proc/sys/kernel/randomize_va_space", new="0\n"))],
)
def address_randomisation(settings: Sequence[Sysctl]) -> Iterator[Verdict]:
    """Read kernel.randomize_va_space."""
    value = level(settings, NAME)
    if value is None:
        yield unknown(HOST, f"{NAME} was not read")
    elif value == FULL:
        yield passed(HOST, f"{NAME} is {value}")
    else:
        yield failed(HOST, f"{NAME} is {value}, {FULL} is wanted")
