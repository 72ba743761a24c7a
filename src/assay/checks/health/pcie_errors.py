"""Is the kernel log free of PCIe errors: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import judged, line
from assay.kit.check import check
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.pcie-errors",
    asks="Is the kernel log free of PCIe errors?",
    severity=Severity.HIGH,
    why="PCIe errors cost bandwidth when they are corrected and lose devices when they are not.",
    fix="Reseat or replace the riser, cable or card at that address; check its link width and "
    "speed.",
    see=["https://docs.kernel.org/PCI/pcieaer-howto.html"],
    reproduce="dmesg | grep -i 'AER\\|PCIe Bus Error'",
    plants=[
        line(
            "pcieport 0000:00:02.0: PCIe Bus Error: severity=Uncorrected (Fatal), "
            "type=Transaction Layer, id=0010(Receiver ID)"
        ),
    ],
)
def pcie_errors(events: Sequence[KernelEvent], log: Sequence[KernelLog]) -> Iterator[Verdict]:
    """Judge PCIe errors in the log that was read."""
    found = [e for e in events if e.kind.startswith("pcie_aer")]
    yield from judged(found, log, "PCIe error", mild=Severity.LOW)
