"""Whether AMD's own tools see every AMD GPU that is on the bus."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import AMD, GIVEN_AWAY, is_compute, named
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.device import ToolAnswer
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, not_applicable, passed, unknown
from assay.model.outcome import Severity
from assay.probes.amd_devices import METRIC, ROCM, STATIC

_BANNER = "ERROR:root:Driver not initialized (amdgpu not found in modules)\n"


@check(
    "amd.tool-answers",
    asks="Do amd-smi or rocm-smi answer, and list every AMD GPU that is on the bus?",
    severity=Severity.CRITICAL,
    why="A GPU that the driver did not start, or lost, is missing from the tools and from every "
    "job, while lspci still shows it; rocm-smi even exits with 0 when there is no driver.",
    fix="Load amdgpu (modprobe amdgpu) and read its messages in the kernel log; reinstall the "
    "driver for the running kernel; reset or replace a GPU that fails to start.",
    see=[
        "https://rocm.docs.amd.com/projects/amdsmi/en/latest/how-to/amdsmi-cli-tool.html",
        "https://instinct.docs.amd.com/projects/amdgpu-docs/en/latest/",
    ],
    reproduce="amd-smi list; lspci -d 1002::1200",
    plants=[
        plant(
            Edit(STATIC.source, new=_BANNER, exit_code=255),
            Edit(METRIC.source, new=_BANNER, exit_code=255),
            Edit(ROCM.source, new=_BANNER, exit_code=0),
            host="mi300x",
            name="no driver",
        ),
        plant(
            Edit(STATIC.source, new="[]\n"),
            Edit(METRIC.source, new="[]\n"),
            Edit(ROCM.source, new=_BANNER, exit_code=0),
            host="mi300x",
            name="no device",
        ),
    ],
)
def tool_answers(
    answers: Sequence[ToolAnswer], devices: Sequence[PciDevice] | None
) -> Iterator[Verdict]:
    """Compare what the tools list with the functions on the bus, where that was read."""
    on_bus = [
        d
        for d in devices or ()
        if d.vendor_id == AMD and is_compute(d) and d.driver not in GIVEN_AWAY
    ]
    good = [answer for answer in answers if answer.devices]
    for answer in answers:
        if answer.devices:
            yield passed(answer.tool, f"lists {answer.devices} GPUs")
        elif devices and not on_bus:
            yield not_applicable(answer.tool, "there is no AMD accelerator on the bus")
        elif answer.error:
            yield failed(answer.tool, f"answers {answer.error!r} instead of listing GPUs")
        elif not good:
            yield failed(answer.tool, "lists no GPU")
    places = {place for answer in good for place in answer.places}
    for device in on_bus:
        if places and device.bdf not in places:
            yield failed(named(device), f"on the bus, and not among the {len(places)} GPUs listed")
    if on_bus and not answers:
        yield unknown(HOST, f"{len(on_bus)} AMD GPUs, and neither amd-smi nor rocm-smi was run")
