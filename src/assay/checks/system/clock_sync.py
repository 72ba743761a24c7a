"""Logs, certificates and distributed jobs need one time."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.clock import ClockSync
from assay.model.facts.dmi import Virtualization
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.clock import CHRONY

MOST = 0.1  # seconds; NTP on a LAN keeps a millisecond, Slurm's munge fails at minutes


@check(
    "system.clock-sync",
    asks="Is the clock synchronised?",
    severity=Severity.MEDIUM,
    why="With clocks apart, munge and Kerberos refuse, certificates are not valid yet, make and "
    "checkpoints compare wrong, and logs of two nodes cannot be laid side by side.",
    fix="Run chronyd (or systemd-timesyncd) against a server that this network reaches.",
    see=["https://chrony-project.org/documentation.html"],
    reproduce="chronyc tracking || timedatectl",
    plants=[
        plant(
            Edit(CHRONY.source, old="Leap status     : Normal",
                 new="Leap status     : Not synchronised"),
            name="no server answers",
        ),
        plant(
            Edit(CHRONY.source, old="System time     : 0.000011402",
                 new="System time     : 3.502900031"),
            name="seconds away",
        ),
    ],
)  # fmt: skip
def clock_sync(
    clocks: Sequence[ClockSync], virtualization: Sequence[Virtualization]
) -> Iterator[Verdict]:
    """Read what the time service says of itself."""
    if container := next((v.container for v in virtualization if v.container), ""):
        yield not_applicable(HOST, f"inside a container ({container}): its host keeps the clock")
        return
    for found in clocks:
        by = f" (by {found.source})" if found.source else ""
        off = found.offset_seconds
        if found.synchronized is None:
            yield unknown(HOST, f"whether the clock is synchronised is not known: {found.detail}")
        elif not found.synchronized:
            yield failed(HOST, f"the clock is not synchronised{by}")
        elif off is not None and off > MOST:
            yield failed(HOST, f"the clock is {off:.3g} s off{by}, at most {MOST} s is wanted")
        else:
            how = f", {off:.2g} s off" if off is not None else ""
            yield passed(HOST, f"the clock is synchronised{by}{how}")
