"""Hygon deep computing units (DCU)."""

import re

from assay.kit.accelerator import Part, Vendor, vendor

HYGON = vendor(
    Vendor(
        id="hygon",
        name="Hygon DCU",
        pci_vendor="1d94",
        pci_classes=("0b40", "1200"),
        pci_devices=(),
        modules=("hydcu", "hycu"),
        nodes=("/dev/kfd", "/dev/mkfd", "/dev/dri/renderD*"),
        tool="hy-smi",
        parts=(
            Part("K100 AI", re.compile(r"K100[_ -]AI", re.IGNORECASE), 64, per_node=(8,)),
            Part("K100", re.compile(r"K100", re.IGNORECASE)),
            Part("Z100", re.compile(r"Z100L?", re.IGNORECASE)),
        ),
    )
)
