"""The kernel log of the MI300X node: it booted, and nothing happened."""

from collections.abc import Iterator

from assay.demo.hosts import absent, answer
from assay.model.evidence import Capture
from assay.probes import kernel_log

BOOT = """\
[    0.000000] Linux version 6.8.0-134-generic (buildd@lcy02-amd64-044) #134~22.04.1-Ubuntu
[    3.220112] pci 0000:0c:00.0: [1002:74a1] type 00 class 0x120000
[   18.410077] amdgpu 0000:0c:00.0: amdgpu: Fetched VBIOS from VFCT
[   19.027731] amdgpu 0000:0c:00.0: amdgpu: RAS: optional ras ta ucode is not available
[ 1000.000000] assay: end of the reference log
"""


def captures() -> Iterator[Capture]:
    """No journal is kept across boots here; the ring buffer answers."""
    yield absent(kernel_log.JOURNAL)
    yield answer(kernel_log.RING, BOOT)
