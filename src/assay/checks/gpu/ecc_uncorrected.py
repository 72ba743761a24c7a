"""Uncorrected memory errors end jobs or spoil results."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import MEMORY_ERRORS, NVML
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

VOLATILE = "<volatile>\n\t\t\t\t<sram_correctable>0</sram_correctable>\n"
SRAM = "\t\t\t\t<sram_uncorrectable_parity>{}</sram_uncorrectable_parity>"


@check(
    "gpu.ecc-uncorrected",
    asks="Has every accelerator been free of uncorrected memory errors?",
    severity=Severity.CRITICAL,
    why="An uncorrected error kills the job that meets it; a board that had some has more soon.",
    fix="Reset the GPU so that bad rows are remapped; replace it when the errors come back.",
    see=[MEMORY_ERRORS, NVML],
    reproduce="nvidia-smi -q -d ECC",
    plants=[
        plant(Edit(XML.source, old=VOLATILE + SRAM.format(0), new=VOLATILE + SRAM.format(2)),
              name="since the driver was loaded"),
        plant(Edit(XML.source, old="<aggregate>\n\t\t\t\t<sram_correctable>0</sram_correctable>\n"
                   + SRAM.format(0),
                   new="<aggregate>\n\t\t\t\t<sram_correctable>0</sram_correctable>\n"
                   + SRAM.format(5)), name="over its life"),
    ],
)  # fmt: skip
def ecc_uncorrected(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """Counts since the driver was loaded are grave; older ones in the aggregate are a warning."""
    for device in devices:
        recent, ever = device.ecc_uncorrected_volatile, device.ecc_uncorrected_aggregate
        if recent:
            yield failed(device.subject, f"{recent} uncorrected errors since the driver was loaded")
        elif ever:
            said = f"{ever} uncorrected errors over its life, none since the driver was loaded"
            yield failed(device.subject, said, severity=Severity.MEDIUM)
        elif recent == 0:
            yield passed(device.subject, "no uncorrected errors")
        elif device.ecc_enabled:
            yield unknown(device.subject, "ECC is on, but the tool gives no count of errors")
