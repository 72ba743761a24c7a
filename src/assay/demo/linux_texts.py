"""Longer answers of a sound Linux node, word for word as the kernel and its tools print them."""

from string import Template

# Resource limits of a session: memlock unlimited, a million files, no core files.
_ROWS = (
    ("cpu time", "unlimited", "unlimited", "seconds"),
    ("file size", "unlimited", "unlimited", "bytes"),
    ("data size", "unlimited", "unlimited", "bytes"),
    ("stack size", "8388608", "unlimited", "bytes"),
    ("core file size", "0", "unlimited", "bytes"),
    ("resident set", "unlimited", "unlimited", "bytes"),
    ("processes", "8254868", "8254868", "processes"),
    ("open files", "1048576", "1048576", "files"),
    ("locked memory", "unlimited", "unlimited", "bytes"),
    ("address space", "unlimited", "unlimited", "bytes"),
    ("file locks", "unlimited", "unlimited", "locks"),
    ("pending signals", "8254868", "8254868", "signals"),
    ("msgqueue size", "819200", "819200", "bytes"),
    ("nice priority", "0", "0", ""),
    ("realtime priority", "0", "0", ""),
    ("realtime timeout", "unlimited", "unlimited", "us"),
)
LIMITS = (
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    + "".join(
        f"{'Max ' + name:<26}{soft:<21}{hard:<21}{unit:<10}\n" for name, soft, hard, unit in _ROWS
    )
)

MEMINFO = """\
MemTotal:       {total:>8} kB
MemFree:        1894021304 kB
MemAvailable:   2071220188 kB
Buffers:         1204416 kB
Cached:         163020880 kB
SwapCached:            0 kB
SwapTotal:             0 kB
SwapFree:              0 kB
HardwareCorrupted:     0 kB
AnonHugePages:   4098048 kB
HugePages_Total:       0
HugePages_Free:        0
HugePages_Rsvd:        0
HugePages_Surp:        0
Hugepagesize:       2048 kB
Hugetlb:               0 kB
"""

TRACKING = """\
Reference ID    : C0000211 (192.0.2.17)
Stratum         : 3
Ref time (UTC)  : Tue Mar 03 09:12:44 2026
System time     : 0.000011402 seconds slow of NTP time
Last offset     : -0.000004127 seconds
RMS offset      : 0.000009822 seconds
Frequency       : 11.204 ppm slow
Residual freq   : -0.001 ppm
Skew            : 0.012 ppm
Root delay      : 0.000402113 seconds
Root dispersion : 0.000291846 seconds
Update interval : 64.4 seconds
Leap status     : Normal
"""

# Services that run on both reference hosts, without the suffix.
SERVICES = (
    "chrony", "containerd", "cron", "dbus", "docker", "irqbalance", "munge", "mdmonitor",
    "openibd", "polkit", "rsyslog", "slurmd", "ssh", "systemd-journald", "systemd-logind",
    "systemd-networkd", "systemd-resolved", "systemd-udevd", "unattended-upgrades",
)  # fmt: skip

_CPU = Template("""\
processor\t: $number
vendor_id\t: $vendor
$family
model name\t: $model
stepping\t: 1
microcode\t: $microcode
cpu MHz\t\t: 3000.000
physical id\t: $socket
siblings\t: $siblings
core id\t\t: $core
cpu cores\t: $cores
fpu\t\t: yes
flags\t\t: fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat nx pdpe1gb rdtscp lm \
constant_tsc rep_good nopl cpuid pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave \
avx f16c rdrand lahf_lm abm avx2 bmi1 bmi2 erms avx512f avx512dq clflushopt avx512bw avx512vl
bogomips\t: 4000.00

""")


def cpuinfo(vendor: str, family: str, model: str, cores: int) -> str:
    """The first CPUs of /proc/cpuinfo: as much as the collector keeps."""
    microcode = "0x2b000639" if vendor == "GenuineIntel" else "0xa101158"
    return "".join(
        _CPU.substitute(number=n, vendor=vendor, family=family, model=model, socket=0, core=n,
                        microcode=microcode, siblings=2 * cores, cores=cores)
        for n in range(8)
    )  # fmt: skip
