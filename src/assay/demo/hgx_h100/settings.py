"""Kernel settings of the H100 node."""

from collections.abc import Iterator

from assay.demo.hosts import pack
from assay.model.evidence import Capture
from assay.probes import sysctl


def captures() -> Iterator[Capture]:
    """Everything under /proc/sys."""
    yield pack(
        sysctl.SETTINGS,
        {
            "/proc/sys/kernel/perf_event_paranoid": "1\n",
            "/proc/sys/kernel/kptr_restrict": "0\n",
            "/proc/sys/kernel/dmesg_restrict": "0\n",
            "/proc/sys/kernel/unprivileged_bpf_disabled": "2\n",
        },
    )
