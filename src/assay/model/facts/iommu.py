"""The IOMMU: what stands between devices and memory."""

from dataclasses import dataclass

from assay.model.fact import Fact


@dataclass(frozen=True, slots=True)
class Iommu(Fact):
    """The IOMMUs in use. ``groups`` maps each group to the kernel's word for its mode.

    ``identity`` is passthrough; ``DMA``, ``DMA-FQ`` and ``blocked`` translate or forbid.
    """

    units: tuple[str, ...]
    groups: tuple[tuple[int, str], ...] = ()

    def mode(self, group: int) -> str | None:
        """The word for *group*; None when it was not said."""
        return dict(self.groups).get(group)
