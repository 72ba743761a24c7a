"""NVIDIA data-centre GPUs."""

import re

from assay.kit.accelerator import Part, Vendor, vendor

# Memory is what nvidia-smi prints as total with ECC on (81559 MiB and so on), in GiB. Links and
# PCI Express are from the data sheets: 25 GB/s for each NVLink 3 and 4 and direction, 50 GB/s for
# NVLink 5. Where a bridge of NVLinks is an option, and where PCI Express is not the way to the
# host (Grace), there is no number. Hot is the maximum operating temperature that `nvidia-smi -q`
# shows, idle about twice what an idle one draws.
_HOME = "https://www.nvidia.com/en-us/data-center/"
_MIB = 1 / 1024


def _named(names: str) -> re.Pattern[str]:
    """The whole product string, with or without the maker in front (drivers before 470)."""
    return re.compile(rf"(?:NVIDIA )?(?:Tesla )?(?:{names})")


def _sxm(
    name: str,
    names: str,
    mib: int,
    generation: int | None,
    links: tuple[int, float],
    limits: tuple[float, float],
    page: str,
    *,
    per_node: tuple[int, ...] = (1, 2, 4, 8),
) -> Part:
    """A module on a baseboard: NVLinks are part of it."""
    width = None if generation is None else 16
    return Part(
        name, _named(names), mib * _MIB, generation, width, *links, per_node, *limits, _HOME + page
    )


def _card(
    name: str,
    names: str,
    mib: int,
    generation: int,
    limits: tuple[float, float],
    page: str,
    *,
    width: int = 16,
    bridge: bool = False,
) -> Part:
    """A card in a slot: any number in a node. With *bridge*, NVLinks depend on what is fitted."""
    return Part(
        name,
        _named(names),
        mib * _MIB,
        generation,
        width,
        None if bridge else 0,
        None,
        (),
        *limits,
        _HOME + page,
    )


_SERVER = (1, 2, 4, 8, 16)  # V100 and A100 were also built sixteen to a node

NVIDIA = vendor(
    Vendor(
        id="nvidia",
        name="NVIDIA",
        pci_vendor="10de",
        pci_classes=("0302",),  # 3D controllers; 0300 are graphics cards
        pci_devices=(),
        modules=("nvidia",),
        nodes=("/dev/nvidia[0-9]*",),
        tool="nvidia-smi",
        parts=(
            _sxm("GB300", "GB300", 284208, None, (18, 50), (320, 87), "gb300-nvl72/",
                 per_node=(1, 2, 4)),
            _sxm("GB200", "GB200", 189471, None, (18, 50), (320, 87), "gb200-nvl72/",
                 per_node=(1, 2, 4)),
            _sxm("B300", r"B300(?: SXM6)?(?: AC)?", 275040, None, (18, 50), (380, 87), "hgx/"),
            _sxm("B200", "B200", 183359, 5, (18, 50), (380, 87), "hgx/"),
            _sxm("GH200 96GB", r"GH200 (?:480GB|120GB|96GB HBM3)", 97871, None, (18, 25),
                 (200, 87), "grace-hopper-superchip/", per_node=(1, 2, 4)),
            Part("GH200 144GB", _named(r"GH200 144G HBM3e"), 143, None, None, 18, 25, (1, 2, 4),
                 200, 87, _HOME + "grace-hopper-superchip/"),
            _sxm("H200", "H200", 143771, 5, (18, 25), (160, 87), "h200/"),
            _card("H200 NVL", "H200 NVL", 143771, 5, (140, 87), "h200/", bridge=True),
            _sxm("H100 SXM", r"H100 80GB HBM3", 81559, 5, (18, 25), (150, 87), "h100/"),
            _card("H100 PCIe", r"H100 (?:PCIe|80GB HBM2e)", 81559, 5, (110, 87), "h100/",
                  bridge=True),
            _card("H100 NVL", "H100 NVL", 95830, 5, (140, 87), "h100/", bridge=True),
            _sxm("H800 SXM", "H800(?: 80GB HBM3)?", 81559, 5, (8, 25), (150, 87), "h100/"),
            _card("H800 PCIe", "H800 PCIe", 81559, 5, (110, 87), "h100/", bridge=True),
            _sxm("H20 96GB", "H20", 97871, 5, (18, 25), (150, 87), "hgx/"),
            _sxm("H20 141GB", "H20-3e", 143771, 5, (18, 25), (160, 87), "hgx/"),
            _sxm("A100 SXM 80GB", r"A100-SXM4-80GB", 81920, 4, (12, 25), (130, 85), "a100/",
                 per_node=_SERVER),
            _sxm("A100 SXM 40GB", r"A100-SXM4-40GB", 40960, 4, (12, 25), (110, 85), "a100/",
                 per_node=_SERVER),
            _card("A100 PCIe 80GB", r"A100 80GB PCIe", 81920, 4, (100, 85), "a100/", bridge=True),
            _card("A100 PCIe 40GB", r"A100-PCIE-40GB", 40960, 4, (80, 85), "a100/", bridge=True),
            _sxm("A800 SXM 80GB", r"A800-SXM4-80GB", 81920, 4, (8, 25), (130, 85), "a100/"),
            _card("A800 PCIe 80GB", r"A800 80GB PCIe", 81920, 4, (100, 85), "a100/", bridge=True),
            _card("A30", "A30", 24576, 4, (60, 85), "products/a30-gpu/", bridge=True),
            _card("A40", "A40", 46068, 4, (80, 88), "a40/", bridge=True),
            _card("A10", "A10", 23028, 4, (60, 88), "products/a10-gpu/"),
            _card("A10G", "A10G", 23028, 4, (60, 88), "products/a10-gpu/"),
            _card("A2", "A2", 15356, 4, (20, 88), "products/a2/", width=8),
            _card("RTX PRO 6000 Server", "RTX PRO 6000 Blackwell Server Edition", 97887, 5,
                  (90, 90), "rtx-pro-6000-blackwell-server-edition/"),
            _card("L40S", "L40S", 46068, 4, (130, 88), "l40s/"),
            _card("L40", "L40", 46068, 4, (100, 88), "l40/"),
            _card("L20", "L20", 46068, 4, (100, 88), "l40/"),
            _card("L4", "L4", 23034, 4, (40, 85), "l4/"),
            _card("T4", "T4", 15360, 3, (50, 85), "tesla-t4/"),
            _sxm("V100 SXM 32GB", r"V100-SXM[23]-32GB(?:-LS|-H)?", 32768, 3, (6, 25), (110, 83),
                 "v100/", per_node=_SERVER),
            _sxm("V100 SXM 16GB", r"V100-SXM2-16GB", 16384, 3, (6, 25), (90, 83), "v100/",
                 per_node=_SERVER),
            _card("V100 PCIe 32GB", r"V100S?-PCIE-32GB", 32768, 3, (70, 83), "v100/"),
            _card("V100 PCIe 16GB", r"V100-PCIE-16GB", 16384, 3, (60, 83), "v100/"),
        ),
    )
)  # fmt: skip
