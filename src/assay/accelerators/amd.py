"""AMD Instinct accelerators."""

import re

from assay.kit.accelerator import Part, Vendor, vendor

# Product briefs and the "GPU hardware specifications" page of the ROCm documentation. Hot is the
# junction temperature at which amd-smi's limits say that the GPU slows down.
_SOURCE = "https://rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html"


def _named(model: str) -> re.Pattern[str]:
    """What amd-smi, rocm-smi and the PCI database call *model*."""
    return re.compile(
        rf"(?:[\w ./-]*\[)?(?:AMD[ _])?(?:Radeon[ _])?(?:Instinct[ _])?{model}"
        r"(?:[ _](?:OAM|PCIe|VF|HF|SXM|MCM|\d+GB))*\]?",
        re.IGNORECASE,
    )


AMD = vendor(
    Vendor(
        id="amd",
        name="AMD Instinct",
        pci_vendor="1002",
        pci_classes=("1200",),
        # MI100 and MI200 are display controllers (0380), as the chips of laptops are.
        pci_devices=("738c", "738e", "7408", "740c", "740f"),
        modules=("amdgpu",),
        nodes=("/dev/kfd", "/dev/dri/renderD*"),
        tool="amd-smi",
        parts=(
            Part("MI355X", _named("MI355X"), 288, 5, 16, 7, 76.8, (8,), 350, 100, _SOURCE),
            Part("MI350X", _named("MI350X"), 288, 5, 16, 7, 76.8, (8,), 350, 100, _SOURCE),
            Part("MI325X", _named("MI325X"), 256, 5, 16, 7, 64, (8,), 300, 100, _SOURCE),
            Part("MI308X", _named("MI308X"), 192, 5, 16, 7, 64, (8,), 300, 100, _SOURCE),
            Part("MI300X", _named("MI300X"), 192, 5, 16, 7, 64, (8,), 300, 100, _SOURCE),
            # Shares its memory with the CPU cores of the package: the driver reports a part.
            Part("MI300A", _named("MI300A"), None, 5, 16, None, None, (4,), None, 100, _SOURCE),
            # Two GPUs in a package; each shows as one device with half of the memory.
            Part("MI250X", _named("MI250X"), 64, 4, 16, None, 50, (8,), None, 100, _SOURCE),
            Part("MI250", _named("MI250"), 64, 4, 16, None, 50, (8,), None, 100, _SOURCE),
            Part("MI210", _named("MI210"), 64, 4, 16, None, 50, (2, 4, 8), None, 100, _SOURCE),
            Part("MI100", _named("MI100"), 32, 4, 16, None, None, (4, 8), None, 100, _SOURCE),
        ),
    )
)
