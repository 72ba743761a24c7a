"""Engineers profile their jobs with hardware counters; the kernel may forbid it."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.system import Sysctl
from assay.model.finding import HOST, Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.sysctl import SETTINGS

NAME = "kernel.perf_event_paranoid"
MOST = 1  # at 2 and above an ordinary user may not count kernel or per-CPU events


@check(
    "system.perf-events",
    asks="May an ordinary user profile with hardware performance counters?",
    severity=Severity.LOW,
    why="Nsight Systems and perf lose CPU sampling and kernel events above level 1.",
    fix="sysctl -w kernel.perf_event_paranoid=1, and keep it in /etc/sysctl.d/.",
    see=["https://www.kernel.org/doc/html/latest/admin-guide/perf-security.html"],
    reproduce="cat /proc/sys/kernel/perf_event_paranoid",
    plants=[
        plant(Edit(SETTINGS.source, path="/proc/sys/kernel/perf_event_paranoid", new="4\n")),
    ],
)
def perf_events(settings: Sequence[Sysctl]) -> Iterator[Verdict]:
    """Read kernel.perf_event_paranoid."""
    value = next((s.value for s in settings if s.name == NAME), None)
    try:
        level = int(value) if value is not None else None
    except ValueError:
        level = None
    if level is None:
        yield unknown(HOST, f"{NAME} could not be read (got {value!r})")
    elif level > MOST:
        yield failed(HOST, f"{NAME} is {level}, at most {MOST} is wanted")
    else:
        yield passed(HOST, f"{NAME} is {level}")
