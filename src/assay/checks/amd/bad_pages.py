"""Pages of GPU memory that are known to be bad and are still in use."""

from collections.abc import Iterator, Sequence

from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.device import BadPages
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes.amd_sysfs import PAGES, ROOT

_BAD = "0x0001f3a2 : 0x00001000 : {}\n"


@check(
    "amd.bad-pages",
    asks="Is every bad page of every AMD GPU's memory out of use?",
    severity=Severity.HIGH,
    why="A bad page that is pending or could not be reserved may be handed to the next job, which "
    "then dies of the same uncorrectable error.",
    fix="Drain the node and reset the GPU so that pending pages are retired; have a GPU with "
    "unreservable pages, or with pages near its threshold, replaced.",
    see=["https://www.kernel.org/doc/html/latest/gpu/amdgpu/ras.html"],
    reproduce="amd-smi bad-pages; cat /sys/class/drm/card*/device/ras/gpu_vram_bad_pages",
    plants=[
        plant(
            Edit(
                PAGES.source,
                path=ROOT + "card17/device/ras/gpu_vram_bad_pages",
                new=_BAD.format("P"),
            ),
            host="mi300x",
            name="pending",
        ),
        plant(
            Edit(
                PAGES.source,
                path=ROOT + "card25/device/ras/gpu_vram_bad_pages",
                new=_BAD.format("R") + _BAD.format("F"),
            ),
            host="mi300x",
            name="unreservable",
        ),
    ],
)
def bad_pages(pages: Sequence[BadPages]) -> Iterator[Verdict]:
    """Pending and unreservable pages; retired ones are accounted for."""
    for gpu in pages:
        if gpu.pending or gpu.unreservable:
            yield failed(
                gpu.subject,
                f"{gpu.pending or 0} bad pages wait for a reset and {gpu.unreservable or 0} could "
                f"not be reserved, besides {gpu.retired or 0} retired",
            )
        elif gpu.pending is None:
            yield unknown(gpu.subject, "it was not said how many bad pages are pending")
        elif gpu.threshold and (gpu.retired or 0) >= gpu.threshold:
            yield failed(gpu.subject, f"{gpu.retired} pages retired, at most {gpu.threshold} may")
        else:
            yield passed(gpu.subject, f"no bad page in use, {gpu.retired or 0} retired")
