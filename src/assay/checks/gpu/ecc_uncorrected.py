"""Uncorrected memory errors end jobs or spoil results."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import MEMORY_ERRORS, NVML, answering
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import MigInstance
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

_SRAM = (
    "\t\t\t\t<sram_correctable>0</sram_correctable>\n"
    "\t\t\t\t<sram_uncorrectable_parity>{}</sram_uncorrectable_parity>"
)
_SINCE_LOAD, _EVER = "<volatile>\n" + _SRAM, "<aggregate>\n" + _SRAM


@check(
    "gpu.ecc-uncorrected",
    asks="Has every accelerator been free of uncorrected memory errors?",
    severity=Severity.CRITICAL,
    why="An uncorrected error kills the job that meets it; a board that had some has more soon.",
    fix="Reset the GPU so that bad rows are remapped; replace it when the errors come back.",
    see=[MEMORY_ERRORS, NVML],
    reproduce="nvidia-smi -q -d ECC",
    plants=[
        plant(Edit(XML.source, old=_SINCE_LOAD.format(0), new=_SINCE_LOAD.format(2)),
              name="since the driver was loaded"),
        plant(Edit(XML.source, old=_EVER.format(0), new=_EVER.format(5)), name="over its life"),
    ],
)  # fmt: skip
def ecc_uncorrected(
    devices: Sequence[Accelerator], slices: Sequence[MigInstance] | None
) -> Iterator[Verdict]:
    """Counts since the driver was loaded are grave; older ones in the aggregate are a warning."""
    for device in answering(devices):
        recent, ever = device.ecc_uncorrected_volatile, device.ecc_uncorrected_aggregate
        if recent:
            yield failed(device.subject, f"{recent} uncorrected errors since the driver was loaded")
        elif ever:
            lately = ", none since the driver was loaded" if recent == 0 else ""
            said = f"{ever} uncorrected errors over its life{lately}"
            yield failed(device.subject, said, severity=Severity.MEDIUM)
        elif recent == 0:
            yield passed(device.subject, "no uncorrected errors since the driver was loaded")
        elif ever == 0:
            yield passed(device.subject, "no uncorrected errors over its life")
        elif device.ecc_enabled:
            yield unknown(device.subject, "ECC is on, but the tool gives no count of errors")
    for one in slices or ():
        if one.ecc_uncorrected:
            name = f"gpu {one.index} mig {'?' if one.device is None else one.device}"
            yield failed(name, f"{one.ecc_uncorrected} uncorrected errors in its caches")
