"""A broken lane leaves an InfiniBand link up at a fraction of its width."""

from collections.abc import Iterator, Sequence

from assay.checks.fabric import parts
from assay.kit.check import check
from assay.kit.plant import Edit, plant
from assay.model.facts.fabric import RdmaPort
from assay.model.finding import Verdict, failed, passed, unknown
from assay.model.outcome import Severity
from assay.probes import rdma_sysfs

RATE = "/sys/class/infiniband/mlx5_2/ports/1/rate"
FULL = 4  # lanes of a QSFP or OSFP port
SPLIT = 2  # HDR100 and NDR200 are two lanes on purpose


@check(
    "fabric.link-width",
    asks="Does every InfiniBand link use all its lanes?",
    severity=Severity.HIGH,
    why="A link with a dead lane comes up at 1X or 2X: it passes ping and loses most bandwidth.",
    fix="Clean or replace the cable or transceiver; if it stays, the adapter or switch port.",
    see=["https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-class-infiniband"],
    reproduce="ibstatus; cat /sys/class/infiniband/*/ports/*/rate",
    plants=[
        plant(Edit(rdma_sysfs.PORTS.source, path=RATE, new="100 Gb/sec (1X NDR)\n")),
    ],
)
def link_width(ports: Sequence[RdmaPort]) -> Iterator[Verdict]:
    """Read the width from the kernel's rate line."""
    for port in ports:
        if port.link_layer != "InfiniBand" or not parts.active(port):
            continue
        width = port.width
        wider = any(parts.key(p) == parts.key(port) and (p.width or 0) >= FULL for p in ports)
        if width is None:
            yield unknown(port.subject, "its width could not be read")
        elif width >= FULL:
            yield passed(port.subject, f"{width}X {port.speed}".strip())
        elif width == SPLIT and not wider:
            yield unknown(
                port.subject,
                f"2X {port.speed}: a split link by design or a 4X link with dead lanes".strip(),
            )
        else:
            yield failed(port.subject, f"{width}X {port.speed}, expected {FULL}X".strip())
