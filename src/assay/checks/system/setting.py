"""Look a kernel setting up."""

from collections.abc import Sequence

from assay.model.facts.system import Sysctl
from assay.probes.kernel_values import whole


def word(settings: Sequence[Sysctl], name: str) -> str | None:
    """The value of *name*; None when this kernel has no such setting, or it was not read."""
    return next((setting.value for setting in settings if setting.name == name), None)


def level(settings: Sequence[Sysctl], name: str) -> int | None:
    """The value of *name* as a number."""
    return whole(word(settings, name))
