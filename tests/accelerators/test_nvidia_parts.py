"""Product strings of NVIDIA's driver and the parts that they name: exactly, never by substring."""

import pytest

from assay.accelerators.nvidia import NVIDIA


@pytest.mark.parametrize(
    ("product", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "H100 SXM"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA H100 NVL", "H100 NVL"),
        ("NVIDIA H200", "H200"),
        ("NVIDIA H200 NVL", "H200 NVL"),
        ("NVIDIA GH200 480GB", "GH200 96GB"),
        ("NVIDIA GH200 144G HBM3e", "GH200 144GB"),
        ("NVIDIA H20", "H20 96GB"),
        ("NVIDIA H20-3e", "H20 141GB"),
        ("NVIDIA H800", "H800 SXM"),
        ("NVIDIA B200", "B200"),
        ("NVIDIA GB200", "GB200"),
        ("NVIDIA B300 SXM6 AC", "B300"),
        ("NVIDIA GB300", "GB300"),
        ("A100-SXM4-40GB", "A100 SXM 40GB"),
        ("NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"),
        ("NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"),
        ("NVIDIA A10", "A10"),
        ("NVIDIA A10G", "A10G"),
        ("NVIDIA L4", "L4"),
        ("NVIDIA L40", "L40"),
        ("NVIDIA L40S", "L40S"),
        ("Tesla T4", "T4"),
        ("Tesla V100-SXM2-16GB", "V100 SXM 16GB"),
        ("Tesla V100S-PCIE-32GB", "V100 PCIe 32GB"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Server"),
    ],
)
def test_a_product_is_its_part(product, name):
    assert NVIDIA.part(product).name == name


@pytest.mark.parametrize(
    "product",
    ["", "H", "NVIDIA H100", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA GeForce RTX 4090",
     "Tesla V100-SXM2...", "NVIDIA A100X", "GRID A100-10C", "NVIDIA H2000",
     "Failed to initialize NVML: Driver/library version mismatch"],
)  # fmt: skip
def test_what_is_not_in_the_table_is_no_part(product):
    assert NVIDIA.part(product) is None


def test_no_two_parts_share_a_product_and_each_is_complete():
    names = [part.name for part in NVIDIA.parts]
    assert len(names) == len(set(names))
    for part in NVIDIA.parts:
        assert part.memory_gib
        assert part.source.startswith("https://")
        assert part.idle_watts
        assert part.hot_celsius
        assert (part.link_gbytes_per_second is not None) == bool(part.links)


def test_export_parts_have_fewer_links():
    assert NVIDIA.part("NVIDIA H100 80GB HBM3").links == 18
    assert NVIDIA.part("NVIDIA H800").links == 8
    assert NVIDIA.part("NVIDIA A800-SXM4-80GB").links == 8
