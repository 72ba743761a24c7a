"""What a node exposes to whoever is on it: paths and their modes, locks, options, drivers."""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class PathMode(Fact):
    """One path of a listing. ``type`` is one of f d c b l s p, ``mode`` the permission bits.

    ``device`` is ``major:minor`` of a device node, else empty.
    """

    whole: ClassVar[bool] = False

    path: str
    type: str
    mode: int
    uid: int
    gid: int
    device: str = ""

    @property
    def others_open(self) -> bool:
        """True when any user may read or write it."""
        return bool(self.mode & 0o006)

    @property
    def others_write(self) -> bool:
        """True when any user may write to it."""
        return bool(self.mode & 0o002)


@dataclass(frozen=True, slots=True)
class KernelLock(Fact):
    """A lock that the kernel or firmware puts on the machine, and its state.

    ``name`` is ``secure-boot``, ``lockdown``, ``apparmor`` or ``selinux``; ``state`` is ``on``,
    ``off``, or the mode in the kernel's own word.
    """

    whole: ClassVar[bool] = False

    name: str
    state: str


@dataclass(frozen=True, slots=True)
class NamespaceSetting(Fact):
    """One switch of the kernel for user namespaces, by its dotted sysctl name."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class KernelOption(Fact):
    """One build option of the running kernel: ``y``, ``m``, ``n`` or its value."""

    whole: ClassVar[bool] = False

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class NvidiaModule(Fact):
    """The loaded NVIDIA kernel module: its version and whether it is the open one."""

    version: str
    open_source: bool


@dataclass(frozen=True, slots=True)
class NvidiaParameter(Fact):
    """One registry key of the loaded NVIDIA driver, from /proc/driver/nvidia/params."""

    name: str
    value: str
