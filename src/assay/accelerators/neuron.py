"""AWS Trainium and Inferentia."""

import re

from assay.kit.accelerator import Part, Vendor, vendor

_SOURCE = "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/index.html"


def _named(chip: str) -> re.Pattern[str]:
    return re.compile(rf"(?:AWS )?{chip}", re.IGNORECASE)


# Usual numbers of chips in an instance: every size of the families that carry the chip.
NEURON = vendor(
    Vendor(
        id="neuron",
        name="AWS Neuron",
        pci_vendor="1d0f",
        # The maker's network adapters and disks have the same vendor id, and 0880 tells nothing.
        pci_classes=(),
        pci_devices=("7064", "7164", "7264", "7364", "7564", "7565"),
        modules=("neuron",),
        drivers=("neuron-driver",),
        nodes=("/dev/neuron[0-9]*",),
        tool="neuron-ls",
        parts=(
            Part("Trainium3", _named("Trainium3"), 144, source=_SOURCE),
            Part("Trainium2", _named("Trainium2"), 96, per_node=(1, 16), source=_SOURCE),
            Part("Trainium", _named("Trainium1?"), 32, per_node=(1, 16), source=_SOURCE),
            Part("Inferentia2", _named("Inferentia2"), 32, per_node=(1, 6, 12), source=_SOURCE),
            Part("Inferentia", _named("Inferentia1?"), 8, per_node=(1, 4, 16), source=_SOURCE),
        ),
    )
)
