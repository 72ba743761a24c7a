"""The name that the kernel has for the machine."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Hostname(Fact):
    """The kernel's host name, as a scheduler may know the machine."""

    name: str

    @property
    def short(self) -> str:
        """Without the domain."""
        return self.name.partition(".")[0]
