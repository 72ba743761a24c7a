"""Google Cloud TPUs."""

import re

from assay.kit.accelerator import Part, Vendor, vendor

_SOURCE = "https://cloud.google.com/tpu/docs/system-architecture-tpu-vm"


def _named(version: str) -> re.Pattern[str]:
    return re.compile(rf"(?:Google )?TPU[ -]?{version}(?: chip)?", re.IGNORECASE)


# Memory per chip as libtpu reports it.
TPU = vendor(
    Vendor(
        id="tpu",
        name="Google Cloud TPU",
        pci_vendor="1ae0",
        pci_classes=("1200", "0880"),
        pci_devices=(),
        modules=("vfio_pci", "gasket"),
        drivers=("vfio-pci",),
        nodes=("/dev/vfio/[0-9]*", "/dev/accel[0-9]*"),
        tool="tpu-info",
        parts=(
            Part("v7x", _named("v?7x"), None, per_node=(1, 4, 8), source=_SOURCE),
            Part("v6e", _named("v6e"), 31.25, per_node=(1, 4, 8), source=_SOURCE),
            Part("v5p", _named("v5p"), 95.74, per_node=(1, 2, 4), source=_SOURCE),
            Part("v5e", _named("v5(?:e|lite|litepod)"), 15.75, per_node=(1, 4, 8), source=_SOURCE),
            Part("v4", _named("v4"), 31.75, per_node=(4,), source=_SOURCE),
            Part("v3", _named("v3"), None, per_node=(4,), source=_SOURCE),
            Part("v2", _named("v2"), None, per_node=(4,), source=_SOURCE),
        ),
    )
)
