"""The operating system, its kernel, modules, settings, services and the kernel log."""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class OperatingSystem(Fact):
    """The distribution, from os-release."""

    id: str
    version: str
    name: str
    like: tuple[str, ...] = ()
    codename: str = ""


@dataclass(frozen=True, slots=True)
class Kernel(Fact):
    """The running kernel. ``release`` is uname -r, ``build`` uname -v."""

    release: str
    build: str
    architecture: str
    cmdline: tuple[str, ...] = ()
    taint: int | None = None
    uptime_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class KernelModule(Fact):
    """A loaded kernel module; ``version`` where the module states one."""

    whole: ClassVar[bool] = False

    name: str
    version: str = ""
    source_version: str = ""
    users: int | None = None
    licence: str = ""


@dataclass(frozen=True, slots=True)
class ModuleParameter(Fact):
    """The value that a loaded module's parameter has now."""

    whole: ClassVar[bool] = False

    module: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Sysctl(Fact):
    """One kernel setting under /proc/sys, by its dotted name."""

    whole: ClassVar[bool] = False

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class CpuVulnerability(Fact):
    """The kernel's own word on one CPU vulnerability."""

    name: str
    status: str


@dataclass(frozen=True, slots=True)
class Livepatch(Fact):
    """A kernel live patch that is enabled."""

    name: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class Service(Fact):
    """One system service and its state in systemd's words (or what the process list shows)."""

    whole: ClassVar[bool] = False

    name: str
    load: str
    active: str
    sub: str
    enabled: str = ""


@dataclass(frozen=True, slots=True)
class KernelEvent(Fact):
    """A fault that the kernel log tells of. Equal events are one fact with a count.

    ``kind`` is xid, sxid, pcie_aer, mce, oom_kill, ...; ``code`` the vendor's number; ``device``
    the PCI address or block device. ``severity`` is info, warning, error, critical or unknown,
    ``policy`` says whose judgement class and action are. ``line`` is the first such line,
    ``when`` the log's own stamp on the last. ``drill`` marks lines that a drill wrote.
    """

    vendor: str
    kind: str
    code: int | None
    device: str
    fault_class: str
    severity: str
    action: str
    policy: str
    meaning: str
    line: str
    when: str = ""
    count: int = 1
    drill: bool = False


@dataclass(frozen=True, slots=True)
class KernelLog(Fact):
    """How much of the kernel log could be read: no event in an unread log proves nothing."""

    source: str
    lines: int
    since: str = ""
