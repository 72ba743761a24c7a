"""Is the kernel log free of faults of network cards: asked of the kernel log."""

from collections.abc import Iterator, Sequence

from assay.checks.health.log import MELLANOX, judged, line, present
from assay.kit.check import check
from assay.model.facts.pci import PciDevice
from assay.model.facts.system import KernelEvent, KernelLog
from assay.model.finding import Verdict
from assay.model.outcome import Severity


@check(
    "health.nic-faults",
    asks="Is the kernel log free of faults of network cards?",
    severity=Severity.HIGH,
    why="A network card whose firmware hangs or whose cable fails slows or stops every job "
    "that spans nodes.",
    fix="Reseat or replace the cable or transceiver; update the firmware; replace the card if "
    "it repeats.",
    see=["https://docs.kernel.org/networking/device_drivers/ethernet/mellanox/mlx5/index.html"],
    reproduce="dmesg | grep mlx5_core",
    plants=[
        line(
            "mlx5_core 0000:41:00.0: poll_health:852:(pid 0): device's health compromised "
            "- reached miss count"
        ),
    ],
)
def nic_faults(
    events: Sequence[KernelEvent],
    log: Sequence[KernelLog],
    devices: Sequence[PciDevice] | None,
) -> Iterator[Verdict]:
    """Judge fault of a network cards in the log that was read."""
    found = [e for e in events if e.vendor == "mellanox"]
    there = present(devices, MELLANOX)
    yield from judged(found, log, "fault of a network card", mild=Severity.LOW, present=there)
