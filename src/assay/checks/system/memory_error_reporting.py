"""Memory errors that nobody counts cannot be found."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import accelerators
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.evidence import Status
from assay.model.facts.dmi import Virtualization
from assay.model.facts.memory import MemoryErrors
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.memory import EDAC


@check(
    "system.memory-error-reporting",
    asks="Does the kernel count the memory errors of this machine?",
    severity=Severity.LOW,
    why="Without an EDAC driver corrected errors are not seen, and a failing module is found "
    "only when it takes a job down.",
    fix="Load the EDAC driver of this processor (modprobe), or turn on firmware-first reporting "
    "(GHES) in the firmware setup.",
    see=["https://www.kernel.org/doc/html/latest/driver-api/edac.html"],
    reproduce="ls /sys/devices/system/edac/mc/",
    plants=[plant(Edit(EDAC.source, status=Status.ABSENT))],
)
def memory_error_reporting(
    controllers: Sequence[MemoryErrors],
    devices: Sequence[PciDevice],
    virtualization: Sequence[Virtualization],
) -> Iterator[Verdict]:
    """Look for memory controllers on bare metal."""
    if not accelerators(devices):
        return
    virtual = next((v.virtual for v in virtualization), None)
    if controllers:
        yield passed(HOST, f"{len(controllers)} memory controllers are watched")
    elif virtual:
        yield not_applicable(HOST, "a virtual machine: its host counts them")
    elif virtual is None:
        yield unknown(HOST, "no controller is watched, and nothing tells whether this is metal")
    else:
        yield failed(HOST, "no memory controller is watched (no EDAC driver is loaded)")
