"""Installed software: packages, tools in use, running programs."""

from dataclasses import dataclass
from typing import ClassVar

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Package(Fact):
    """One installed package. ``source`` and its version are what distributions fix."""

    manager: str  # "dpkg" or "rpm"
    name: str
    version: str
    architecture: str = ""
    source: str = ""
    source_version: str = ""
    vendor: str = ""  # maintainer or vendor string: who built it


@dataclass(frozen=True, slots=True)
class Software(Fact):
    """A program or library by the version that it states itself: the binary in use.

    ``component`` is the field's own name in lower case: ``runc``, ``containerd``, ``docker``,
    ``nvidia-container-toolkit``, ``cuda-toolkit``, ``nccl``, ``openmpi``, ``dcgm``, ``slurm``...
    ``origin`` says where the version was seen: ``binary``, ``library``, ``file``, ``module``.
    An empty version: there is one, or there may be, and ``detail`` says why its version could not
    be read.
    """

    whole: ClassVar[bool] = False

    component: str
    version: str
    origin: str
    path: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ChangelogFix(Fact):
    """A CVE that a package's own changelog names as fixed: proof of a backport."""

    whole: ClassVar[bool] = False

    package: str
    cve: str
