"""Bad rows of memory are replaced by spare ones, until there are none left."""

from collections.abc import Iterator, Sequence

from assay.checks.gpu.parts import MEMORY_ERRORS, answering, is_share, more_of
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.nvidia import NvidiaDevice
from assay.model.finding import Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.nvidia_smi import XML

MOST_PAGES = 63  # DCGM_LIMIT_MAX_RETIRED_PAGES: with more, NVIDIA's own diagnostic fails
_BANKS = "<row_remapper_histogram_none>{} bank(s)<"


@check(
    "gpu.row-remapping",
    asks="Is no remapping of memory rows (or page retirement) pending, failed or out of spares?",
    severity=Severity.CRITICAL,
    why="Until a pending remapping takes effect the bad row is in use; after a failed one it "
    "stays in use.",
    fix="Pending: reset the GPU when its job has ended. Failed: replace the board.",
    see=[MEMORY_ERRORS, "https://docs.nvidia.com/deploy/dynamic-page-retirement/index.html"],
    reproduce="nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT",
    plants=[
        plant(Edit(XML.source, old="<remapped_row_failure>No<", new="<remapped_row_failure>Yes<"),
              name="failed"),
        plant(Edit(XML.source, old="<remapped_row_pending>No<", new="<remapped_row_pending>Yes<"),
              name="pending"),
        plant(Edit(XML.source, old=_BANKS.format(0), new=_BANKS.format(1)), name="no spares left"),
    ],
)  # fmt: skip
def row_remapping(
    devices: Sequence[Accelerator], details: Sequence[NvidiaDevice] | None
) -> Iterator[Verdict]:
    """What the row remapper or, on older parts, page retirement says."""
    for device in answering(devices):
        more = more_of(device, details)
        bare = dict(more.banks).get("none", 0) if more else 0
        pages = device.retired_pages
        if device.remap_failed:
            yield failed(device.subject, "remapping of a memory row failed: no spare rows are left")
        elif device.remap_pending or device.retire_pending:
            what = "a row remapping" if device.remap_pending else "a page retirement"
            said = f"{what} is pending: the bad memory is in use until the GPU is reset"
            yield failed(device.subject, said, severity=Severity.HIGH)
        elif pages is not None and pages > MOST_PAGES:
            yield failed(device.subject, f"{pages} pages retired, at most {MOST_PAGES} are sound")
        elif bare:
            said = f"{bare} memory banks have no spare row left: the next bad row there stays"
            yield failed(device.subject, said, severity=Severity.MEDIUM)
        elif device.remap_failed is False and device.remap_pending is False:
            counts = (device.remap_corrected, device.remap_uncorrected)
            count = "an unknown number of" if None in counts else sum(n or 0 for n in counts)
            yield passed(device.subject, f"{count} rows remapped, none pending, none failed")
        elif device.retire_pending is False and device.remap_failed is None:
            count = "an unknown number of" if pages is None else pages
            yield passed(device.subject, f"{count} pages retired, none pending")
        elif is_share(device, details):
            yield not_applicable(device.subject, "a vGPU does not show the memory of its board")
        elif device.vendor == "nvidia" and device.ecc_enabled:
            yield unknown(device.subject, "the tool does not say how row remapping stands")
