"""MetaX GPUs."""

import re

from assay.kit.accelerator import Part, Vendor, vendor

METAX = vendor(
    Vendor(
        id="metax",
        name="MetaX",
        pci_vendor="9999",
        pci_classes=("0380", "1200"),
        pci_devices=(),
        modules=("metax",),
        nodes=("/dev/mxcd", "/dev/dri/renderD*"),
        tool="mx-smi",
        parts=(
            Part("C500", re.compile(r"(?:MetaX )?(?:MX)?C500", re.IGNORECASE), 64, per_node=(8,)),
            Part("C550", re.compile(r"(?:MetaX )?(?:MX)?C550", re.IGNORECASE), 64, per_node=(8,)),
        ),
    )
)
