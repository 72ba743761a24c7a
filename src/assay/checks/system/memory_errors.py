"""Uncorrectable memory errors kill processes, or worse, do not."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.memory import MemoryErrors
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.memory import EDAC, EDAC_ROOT


@check(
    "system.memory-errors",
    asks="Is the host's memory free of uncorrectable errors?",
    severity=Severity.HIGH,
    why="An uncorrectable error in host memory ends a job or the node; it comes back until the "
    "module is replaced.",
    fix="Drain the node, find the module (ras-mc-ctl --errors, the BMC's event log), replace it.",
    see=["https://www.kernel.org/doc/html/latest/driver-api/edac.html"],
    reproduce="grep . /sys/devices/system/edac/mc/mc*/{ue,ce}_count",
    plants=[plant(Edit(EDAC.source, path=EDAC_ROOT + "mc2/ue_count", new="1\n"))],
)
def memory_errors(controllers: Sequence[MemoryErrors]) -> Iterator[Verdict]:
    """Read the counters of each memory controller."""
    for found in controllers:
        corrected = "?" if found.corrected is None else found.corrected
        if found.uncorrected is None:
            yield unknown(found.controller, "its count of uncorrectable errors was not read")
        elif found.uncorrected:
            said = f"{found.uncorrected} uncorrectable errors ({corrected} corrected)"
            yield failed(found.controller, f"{said}, 0 are wanted")
        else:
            said = f"no uncorrectable errors ({corrected} corrected)"
            yield passed(found.controller, said)
