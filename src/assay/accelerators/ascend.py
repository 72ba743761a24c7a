"""Huawei Ascend NPUs."""

import re

from assay.kit.accelerator import Part, Vendor, vendor

_SOURCE = "https://www.hiascend.com/en/hardware/product"


def _named(model: str) -> re.Pattern[str]:
    """npu-smi shows the chip's number, with or without the family."""
    return re.compile(rf"(?:Ascend ?)?{model}", re.IGNORECASE)


# Memory is what npu-smi shows as HBM (or as memory where a chip has no HBM), per chip.
ASCEND = vendor(
    Vendor(
        id="ascend",
        name="Huawei Ascend",
        pci_vendor="19e5",
        pci_classes=("1200",),
        pci_devices=(),
        modules=("drv_davinci_intf_host", "drv_devmng_host"),
        drivers=("devdrv_device_driver",),
        nodes=("/dev/davinci[0-9]*",),
        tool="npu-smi",
        parts=(
            Part("910B4", _named("910B4"), 32, 4, 16, per_node=(8,), source=_SOURCE),
            Part("910B", _named("910B[1-4](?:-1)?"), 64, 4, 16, per_node=(8,), source=_SOURCE),
            Part("910A", _named("910(?:A|ProA|PremiumA|ProB)"), 32, 4, 16, per_node=(8,),
                 source=_SOURCE),
            # The A3 generation (two dies in a package) prints no more than the family's name.
            Part("910", _named("910"), None, per_node=(8, 16), source=_SOURCE),
            Part("310P", _named("310P[1-7]?"), None, 4, 16, source=_SOURCE),
            Part("310", _named("310"), 8, 3, 16, source=_SOURCE),
            Part("310B", _named("310B[1-4]?"), None, source=_SOURCE),
        ),
    )
)  # fmt: skip
