"""Kernel settings under /proc/sys that the checks ask about."""

import re
from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files, saved
from assay.kit.seen import Seen
from assay.model.facts.system import Sysctl
from assay.probes.kernel_values import plain_lines

PREFIX = "/proc/sys/"
SETTINGS = files(
    PREFIX + "{kernel/perf_event_paranoid,kernel/kptr_restrict,kernel/dmesg_restrict,"
    "kernel/unprivileged_bpf_disabled,kernel/numa_balancing,kernel/panic,kernel/panic_on_oops,"
    "kernel/core_pattern,kernel/randomize_va_space,vm/swappiness,vm/zone_reclaim_mode,"
    "vm/max_map_count,vm/overcommit_memory,fs/file-max,fs/suid_dumpable,"
    "user/max_user_namespaces}",
    name="sysctl",
)
ALL = saved("sysctl-a", looks_like=r"^(?:abi|dev|fs|kernel|net|vm|user)\.[\w.\-/:*]+ = [^\n]*$")
_LINE = re.compile(r"((?:abi|crypto|debug|dev|fs|kernel|net|sunrpc|user|vm)\.[^\s=]+) ?= ?(.*)")


@probe("system.sysctl", reads=[SETTINGS, ALL])
def settings(seen: Seen) -> Iterator[Sysctl]:
    """Kernel settings by their dotted names."""
    if seen.capture(ALL) is not None:
        for line in plain_lines(seen.text(ALL)):
            if found := _LINE.fullmatch(line.strip()):
                yield Sysctl(found.group(1), found.group(2).strip())
        return
    for path, text in seen.files(SETTINGS):
        yield Sysctl(path.removeprefix(PREFIX).replace("/", "."), text.strip())
