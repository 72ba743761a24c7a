"""What stands between devices and memory."""

from collections.abc import Iterator

from assay.kit.probe import probe
from assay.kit.reading import files, links
from assay.kit.seen import Seen
from assay.model.facts.iommu import Iommu
from assay.probes.kernel_values import by_folder, whole

UNITS = links("/sys/class/iommu/*", name="iommu-units")
ROOT = "/sys/kernel/iommu_groups/"
MODES = files(ROOT + "*/type", name="iommu-modes")


@probe("pci.iommu", reads=[UNITS, MODES])
def iommu(seen: Seen) -> Iterator[Iommu]:
    """IOMMUs in use, and the mode of every group of devices."""
    units = tuple(sorted(e.path.rpartition("/")[2] for e in seen.entries(UNITS)))
    modes = {
        whole(group): values.get("type", "")
        for group, values in by_folder(seen.files(MODES), ROOT).items()
    }
    groups = tuple(sorted((group, mode) for group, mode in modes.items() if group is not None))
    yield Iommu(units, groups)
