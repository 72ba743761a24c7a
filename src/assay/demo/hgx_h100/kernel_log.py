"""The kernel log of the H100 node: it booted, and nothing happened."""

from collections.abc import Iterator

from assay.demo.hosts import absent, answer
from assay.model.evidence import Capture
from assay.probes import kernel_log

BOOT = """\
[    0.000000] Linux version 6.8.0-134-generic (buildd@lcy02-amd64-044) #134~22.04.1-Ubuntu
[    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz-6.8.0-134-generic root=/dev/md0 ro
[    2.104411] pci 0000:1b:00.0: [10de:2330] type 00 class 0x030200
[   11.518230] nvidia-nvswitch0: open (major=510)
[   12.220519] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.173.02  Release Build
[   14.870134] mlx5_core 0000:18:00.0: firmware version: 28.39.3004
[   15.101822] mlx5_core 0000:18:00.0: 504.112 Gb/s available PCIe bandwidth
[   21.442019] EXT4-fs (md0): mounted filesystem with ordered data mode.
[ 1000.000000] assay: end of the reference log
"""


def captures() -> Iterator[Capture]:
    """No journal is kept across boots here; the ring buffer answers."""
    yield absent(kernel_log.JOURNAL)
    yield answer(kernel_log.RING, BOOT)
