"""The running kernel, how it was started, and for how long it has been up."""

import re
from collections.abc import Iterator, Mapping

from assay.kit.probe import probe
from assay.kit.quantity import number
from assay.kit.reading import files, saved
from assay.kit.seen import Seen, Unread
from assay.model.facts.clock import Uptime
from assay.model.facts.system import Kernel
from assay.probes.cpu import CPUINFO, head
from assay.probes.kernel_values import whole

VERSION = files("/proc/version", looks_like=r"^Linux version \d+\.\d[^\n]+")
CMDLINE = files("/proc/cmdline", looks_like=r"\A(?:BOOT_IMAGE|root|initrd)=[^\n]+")
KERNEL = files("/proc/sys/kernel/{osrelease,version,tainted,arch}", name="kernel")
UNAME = saved("uname-a", looks_like=r"^Linux \S+ \d+\.\d+\S* #\d[^\n]*$")
UPTIME = files("/proc/uptime", looks_like=r"\A\d+\.\d\d \d+\.\d\d$")

_FORMS = {
    "osrelease": r"\d{1,3}\.\d\S*", "version": r"\S[^\n]*", "tainted": r"\d{1,18}", "arch": r"\w+",
}  # fmt: skip
_VERSION = re.compile(r"^Linux version (\S+)[^\n]*?(#\d[^\n]*)?$", re.MULTILINE)
_UNAME = re.compile(
    r"^Linux \S+ (?P<release>\d+\.\d+\S*) (?P<build>#\d[^\n]*?)"
    r"(?: (?P<machine>x86_64|aarch64|ppc64le|riscv64|s390x|i686|armv7l)[^\n]*)?$",
    re.MULTILINE,
)
_MACHINE = re.compile(r"(?:^|[^a-z0-9])(x86_64|amd64|aarch64|arm64|ppc64le|riscv64)(?:[^a-z0-9]|$)")
_SAME = {"amd64": "x86_64", "arm64": "aarch64"}
# Values of these boot options name one machine, not a setting.
_IDENTIFYING = re.compile(
    r"(root|resume|BOOTIF|ip|hostname|BOOT_IMAGE_UUID|rd\.[\w.]+|nfsroot|ds|ifname|"
    r"systemd\.machine_id|cryptdevice|osi_\w+|url|token|key|password)=.*",
    re.IGNORECASE,
)


@probe("system.kernel", reads=[KERNEL, VERSION, CMDLINE, CPUINFO, UNAME])
def kernel(seen: Seen) -> Iterator[Kernel]:
    """The running kernel, its boot options and its taint."""
    if seen.capture(UNAME) is not None:
        yield _from_uname(seen.text(UNAME))
        return
    values: dict[str, str] = {}
    if seen.capture(KERNEL) is not None or seen.capture(VERSION) is None:
        values = {path.rpartition("/")[2]: text for path, text in seen.values(KERNEL, _FORMS)}
    whole_version = seen.file(VERSION) if seen.capture(VERSION) is not None else None
    found = _VERSION.search(whole_version or "")
    release = values.get("osrelease") or (found.group(1) if found else "")
    build = values.get("version") or (found.group(2) or "" if found else "")
    if not re.match(r"\d+\.\d", release):
        raise Unread("the release of the running kernel could not be read")
    cmdline = seen.file(CMDLINE) if seen.capture(CMDLINE) is not None else None
    yield Kernel(
        release=release,
        build=build.strip(),
        architecture=_architecture(values, release, whole_version or "", head(seen)),
        cmdline=tuple(_IDENTIFYING.sub(r"\1=...", word) for word in (cmdline or "").split()),
        taint=whole(values.get("tainted")),
    )


def _from_uname(text: str) -> Kernel:
    found = _UNAME.search(text)
    if found is None:
        raise Unread("`uname -a` shows no Linux kernel")
    machine = found["machine"] or _architecture({}, found["release"], "", "")
    return Kernel(found["release"], found["build"].strip(), machine)


def _architecture(values: Mapping[str, str], release: str, version: str, cpuinfo: str) -> str:
    """The machine word of `uname -m`, from whatever shows it; "" when nothing does."""
    if values.get("arch"):
        return values["arch"]
    for text in (release, version):
        if found := _MACHINE.search(text):
            return _SAME.get(found.group(1), found.group(1))
    if re.search(r"^CPU implementer\s*:", cpuinfo, re.MULTILINE):
        return "aarch64"
    return "x86_64" if re.search(r"^flags\s*:.*\blm\b", cpuinfo, re.MULTILINE) else ""


@probe("system.uptime", reads=[UPTIME])
def uptime(seen: Seen) -> Iterator[Uptime]:
    """How long the system has been up."""
    text = seen.file(UPTIME)
    if text is None:
        return
    seconds = number(text)
    if seconds is None or seconds < 0:
        raise Unread(f"/proc/uptime makes no sense: {text[:40]!r}")
    yield Uptime(seconds)
