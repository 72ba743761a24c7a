"""What the next boot would bring: installed kernels, and reboots that packages ask for."""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class InstalledKernel(Fact):
    """One kernel on disk: is its image in /boot, and are its modules in /lib/modules?"""

    release: str
    image: bool
    modules: bool


@dataclass(frozen=True, slots=True)
class RebootRequired(Fact):
    """A package manager asks for a reboot, and for the sake of which packages."""

    whole: ClassVar[bool] = False

    packages: tuple[str, ...] = ()
