"""Bad rows of memory are replaced by spare ones, until there are none left."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import MEMORY_ERRORS
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML


@check(
    "gpu.row-remapping",
    asks="Is no remapping of memory rows (or page retirement) pending or failed?",
    severity=Severity.CRITICAL,
    why="Until a pending remapping takes effect the bad row is in use; after a failed one it "
    "stays.",
    fix="Pending: reset the GPU when its job has ended. Failed: replace the board.",
    see=[MEMORY_ERRORS],
    reproduce="nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT",
    plants=[
        plant(Edit(XML.source, old="<remapped_row_failure>No<", new="<remapped_row_failure>Yes<"),
              name="failed"),
        plant(Edit(XML.source, old="<remapped_row_pending>No<", new="<remapped_row_pending>Yes<"),
              name="pending"),
    ],
)  # fmt: skip
def row_remapping(devices: Sequence[Accelerator]) -> Iterator[Verdict]:
    """What the row remapper or, on older parts, page retirement says."""
    for device in devices:
        if device.remap_failed:
            yield failed(device.subject, "remapping of a memory row failed: no spare rows are left")
        elif device.remap_pending or device.retire_pending:
            what = "a row remapping" if device.remap_pending else "a page retirement"
            said = f"{what} is pending: the bad memory is in use until the GPU is reset"
            yield failed(device.subject, said, severity=Severity.HIGH)
        elif device.remap_failed is False and device.remap_pending is False:
            count = (device.remap_corrected or 0) + (device.remap_uncorrected or 0)
            yield passed(device.subject, f"{count} rows remapped, none pending, none failed")
        elif device.retire_pending is False:
            pages = "an unknown number of" if device.retired_pages is None else device.retired_pages
            yield passed(device.subject, f"{pages} pages retired, none pending")
        elif device.vendor == "nvidia" and device.ecc_enabled:
            yield unknown(device.subject, "the tool does not say how row remapping stands")
