import pytest

from assay.engine.catalogue import catalogue

VENDORS = {vendor.id: vendor for vendor in catalogue().vendors}


@pytest.mark.parametrize(
    ("vendor", "product", "part"),
    [
        ("amd", "AMD Instinct MI300X", "MI300X"),
        ("amd", "AMD Instinct MI300X OAM", "MI300X"),
        ("amd", "AMD INSTINCT MI300X", "MI300X"),
        ("amd", "AMD_Instinct_MI300X_OAM", "MI300X"),
        ("amd", "Aqua Vanjaram [Instinct MI300X]", "MI300X"),
        ("amd", "AMD Instinct MI300X VF", "MI300X"),
        ("amd", "MI300A", "MI300A"),
        ("amd", "Arcturus GL-XL [Instinct MI100]", "MI100"),
        ("amd", "AMD Instinct MI250X", "MI250X"),
        ("amd", "AMD Instinct MI250X / MI250", None),
        ("amd", "AMD Radeon RX 7900 XTX", None),
        ("amd", "AMD Instinct MI3000X", None),
        ("tpu", "TPU v6e chip", "v6e"),
        ("tpu", "TPU v5p chip", "v5p"),
        ("tpu", "TPU v9 chip", None),
        ("neuron", "Trainium2", "Trainium2"),
        ("neuron", "Trainium", "Trainium"),
        ("neuron", "Inferentia2", "Inferentia2"),
        ("gaudi", "HL-225", "Gaudi 2"),
        ("gaudi", "HL-205", "Gaudi"),
        ("gaudi", "HL-325L", "Gaudi 3"),
        ("ascend", "910B4-1", "910B"),
        ("ascend", "910B4", "910B4"),
        ("ascend", "Ascend 910A", "910A"),
        ("ascend", "Ascend910", "910"),
        ("ascend", "310P3", "310P"),
        ("hygon", "K100_AI", "K100 AI"),
        ("metax", "MXC500", "C500"),
    ],
)
def test_whole_product_names(vendor, product, part):
    found = VENDORS[vendor].part(product)
    assert (found.name if found else None) == part


@pytest.mark.parametrize("id", ["amd", "tpu", "neuron", "gaudi", "ascend", "hygon", "metax"])
def test_a_vendor_says_how_its_devices_show(id):
    vendor = VENDORS[id]
    assert len(vendor.pci_vendor) == 4
    assert vendor.pci_classes or vendor.pci_devices
    assert vendor.nodes
    assert len({part.name for part in vendor.parts}) == len(vendor.parts)
