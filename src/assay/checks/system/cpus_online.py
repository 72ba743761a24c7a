"""CPUs that are present but offline do no work."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.cpu import Processors
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed
from assay.model.outcome import Severity
from assay.probes.cpu import ROOT, TOPOLOGY

SIBLINGS_OFF = frozenset({"off", "forceoff"})  # then every second CPU is offline by design


@check(
    "system.cpus-online",
    asks="Are all CPUs online?",
    severity=Severity.LOW,
    why="A CPU that was taken offline (by hand, by a failed bring-up, by the kernel after "
    "errors) is missing to jobs, and pinned processes fail.",
    fix="echo 1 > /sys/devices/system/cpu/cpuN/online; if it goes offline again, look for machine "
    "checks.",
    see=["https://www.kernel.org/doc/html/latest/core-api/cpu_hotplug.html"],
    reproduce="grep . /sys/devices/system/cpu/{present,online}",
    plants=[plant(Edit(TOPOLOGY.source, path=ROOT + "online", new="0-40,42-223\n"))],
)
def cpus_online(processors: Sequence[Processors]) -> Iterator[Verdict]:
    """Compare the number of CPUs that are present with those that are online."""
    for found in processors:
        if found.cpus is None or found.present is None:
            continue
        said = f"{found.cpus} of {found.present} CPUs are online"
        if found.cpus >= found.present:
            yield passed(HOST, said)
        elif found.smt in SIBLINGS_OFF:
            yield not_applicable(HOST, f"{said}, as SMT is {found.smt}")
        else:
            yield failed(HOST, said)
