"""How the container engines and the NVIDIA Container Toolkit of a node are set up."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class EngineSetting(Fact):
    """One setting of a configuration file, with its dotted name.

    Booleans are ``true`` and ``false``; a list has one fact for each member under the same name.
    A file that was read and sets nothing gives one fact with an empty name, so that "at its
    defaults" differs from "not installed".
    """

    name: str
    value: str
    path: str


class DockerSetting(EngineSetting):
    """A setting of the Docker daemon, from daemon.json or its unit's command line."""

    __slots__ = ()


class ContainerdSetting(EngineSetting):
    """A setting of containerd, also of the one inside k3s and RKE2."""

    __slots__ = ()


class CrioSetting(EngineSetting):
    """A setting of CRI-O."""

    __slots__ = ()


class ToolkitSetting(EngineSetting):
    """A setting of the NVIDIA Container Toolkit, on the host or from the GPU Operator."""

    __slots__ = ()
