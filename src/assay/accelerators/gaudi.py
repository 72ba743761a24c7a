"""Intel Gaudi accelerators, formerly Habana Labs."""

import re

from assay.kit.accelerator import Part, Vendor, vendor

_SOURCE = "https://docs.habana.ai/en/latest/Gaudi_Overview/Gaudi_Architecture.html"


def _named(model: str) -> re.Pattern[str]:
    """hl-smi shows the card's number, with letters for its form."""
    return re.compile(rf"(?:Intel |Habana )?(?:{model})[A-Z]{{0,2}}", re.IGNORECASE)


# Links are Ethernet ports between the cards of one node: 21 of 24 in the usual eight.
GAUDI = vendor(
    Vendor(
        id="gaudi",
        name="Intel Gaudi",
        pci_vendor="1da3",
        pci_classes=("1200",),
        pci_devices=(),
        modules=("habanalabs",),
        nodes=("/dev/accel/accel[0-9]*", "/dev/hl[0-9]*"),
        tool="hl-smi",
        parts=(
            Part("Gaudi 3", _named("HL-32[0-9]|HL-388|Gaudi ?3"), 128, 5, 16, 21, 25, (8,),
                 source=_SOURCE),
            Part("Gaudi 2", _named("HL-22[0-9]|HL-288|Gaudi ?2"), 96, 4, 16, 21, 12.5, (8,),
                 source=_SOURCE),
            Part("Gaudi", _named("HL-20[0-9]|Gaudi"), 32, 4, 16, 7, 12.5, (8,), source=_SOURCE),
        ),
    )
)  # fmt: skip
