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
            "/proc/sys/kernel/numa_balancing": "0\n",
            "/proc/sys/kernel/panic": "10\n",
            "/proc/sys/kernel/panic_on_oops": "1\n",
            "/proc/sys/kernel/core_pattern": "|/usr/share/apport/apport -p%p -s%s -- %E\n",
            "/proc/sys/kernel/randomize_va_space": "2\n",
            "/proc/sys/vm/swappiness": "10\n",
            "/proc/sys/vm/zone_reclaim_mode": "0\n",
            "/proc/sys/vm/max_map_count": "65530\n",
            "/proc/sys/vm/overcommit_memory": "0\n",
            "/proc/sys/fs/file-max": "9223372036854775807\n",
            "/proc/sys/fs/suid_dumpable": "2\n",
            "/proc/sys/user/max_user_namespaces": "8254868\n",
        },
    )
