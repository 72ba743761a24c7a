"""PCIe's own error counters show a link or device that is about to fail."""

from collections.abc import Iterator, Sequence

from assay.checks.pci.roles import named
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.pci import PciDevice
from assay.model.finding import HOST, Verdict, failed, passed
from assay.model.outcome import Severity
from assay.probes.pci import ERRORS, ROOT


@check(
    "pci.aer-errors",
    asks="Is every PCIe device free of uncorrectable errors since boot?",
    severity=Severity.HIGH,
    why="A fatal error took a link down; a non-fatal one lost a transaction. Both end jobs, "
    "and on a GPU they come before it falls off the bus.",
    fix="Drain the node, find the device in the kernel log, reseat or replace it, and watch "
    "the counters after a reboot.",
    see=["https://www.kernel.org/doc/html/latest/PCI/pcieaer-howto.html"],
    reproduce="grep TOTAL /sys/bus/pci/devices/*/aer_dev_{fatal,nonfatal}",
    plants=[
        plant(
            Edit(
                ERRORS.source,
                path=ROOT + "0000:61:00.0/aer_dev_fatal",
                old="TOTAL_ERR_FATAL 0",
                new="TOTAL_ERR_FATAL 1",
            ),
            name="a fatal error",
        ),
        plant(
            Edit(
                ERRORS.source,
                path=ROOT + "0000:18:00.0/aer_dev_nonfatal",
                old="TOTAL_ERR_NONFATAL 0",
                new="TOTAL_ERR_NONFATAL 7",
            ),
            name="non-fatal errors",
        ),
    ],
)
def aer_errors(devices: Sequence[PciDevice]) -> Iterator[Verdict]:
    """Read the totals of Advanced Error Reporting."""
    clean = 0
    for device in devices:
        if device.aer_fatal:
            yield failed(named(device), f"{device.aer_fatal} fatal PCIe errors, 0 are wanted")
        elif device.aer_nonfatal:
            why = f"{device.aer_nonfatal} non-fatal PCIe errors, 0 are wanted"
            yield failed(named(device), why, severity=Severity.MEDIUM)
        elif device.aer_fatal == 0 and device.aer_nonfatal == 0:
            clean += 1
    if clean:
        yield passed(HOST, f"no fatal and no non-fatal errors on {clean} devices that count them")
