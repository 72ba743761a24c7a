"""DCGM watches NVIDIA GPUs in the background: health, errors, counters."""

from collections.abc import Iterator, Sequence

from assay.checks.software.roles import NO_NVIDIA, NVIDIA, accelerators, contained, versions
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.access import RunningProgram
from assay.model.facts.dmi import Virtualization
from assay.model.facts.pci import PciDevice
from assay.model.facts.software import Software
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.processes import PROCESSES

PROGRAMS = ("nv-hostengine", "dcgm-exporter")  # the exporter can carry an engine of its own


@check(
    "software.dcgm-running",
    asks="Does DCGM watch the GPUs of this node?",
    severity=Severity.MEDIUM,
    why="Health checks, job statistics and most dashboards ask DCGM; when it does not run, a "
    "failing GPU stays in service.",
    fix="Install datacenter-gpu-manager and run `systemctl enable --now nvidia-dcgm`.",
    see=["https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/getting-started.html"],
    reproduce="pgrep -a 'nv-hostengine|dcgm-exporter'",
    plants=[plant(Edit(PROCESSES.source, old="    0 nv-hostengine\n", new=""))],
)
def dcgm_running(
    devices: Sequence[PciDevice],
    programs: Sequence[RunningProgram] | None,
    software: Sequence[Software] | None,
    machines: Sequence[Virtualization] | None,
) -> Iterator[Verdict]:
    """A running engine, by the names of processes."""
    if not accelerators(devices, NVIDIA):
        yield not_applicable(HOST, NO_NVIDIA)
        return
    if programs is None:
        yield unknown(HOST, "the processes of this node could not be listed")
        return
    running = sorted({program.name for program in programs if program.name in PROGRAMS})
    installed = versions(software or (), "dcgm")
    if running:
        yield passed(HOST, f"{', '.join(running)} runs" + (f" ({installed})" if installed else ""))
    elif container := contained(machines):
        yield unknown(HOST, f"looked from inside a container ({container}), past other processes")
    else:
        yield failed(HOST, f"none of {', '.join(PROGRAMS)} runs; installed: {installed or 'no'}")
