"""The PCI tree: right on GPU nodes, silent elsewhere."""

from dataclasses import replace

import pytest

from assay.engine.catalogue import catalogue
from assay.model.facts.cpu import NumaNode
from assay.model.facts.dmi import Virtualization
from assay.model.facts.iommu import Iommu
from assay.model.facts.pci import PciDevice
from assay.model.outcome import Outcome, Severity, worst

CHECKS = {check.id: check for check in catalogue().checks}


NA, PASS, UNKNOWN, FAIL = Outcome


GIB = 1 << 30


METAL, GUEST = Virtualization(False), Virtualization(True, "KVM")


INSIDE = Virtualization(False, "", "docker")


def verdicts(id, *given):
    return list(CHECKS[id].judge(*given))


def outcome(id, *given):
    return worst(verdict.outcome for verdict in verdicts(id, *given))


def severities(id, *given):
    return {v.severity for v in verdicts(id, *given) if v.outcome is FAIL}


def device(bdf, vendor="10de", kind="030200", **more):
    return PciDevice(bdf, vendor, "2330", kind, virtual_function=False, **more)


ROOT = device("0000:15:01.0", "8086", "060400", width_max=16, speed_max=32.0)


UP = device("0000:16:00.0", "1000", "060400", width=16, width_max=16, speed=32.0, speed_max=32.0,
            upstream=ROOT.bdf)  # fmt: skip


DOWN = device("0000:17:00.0", "1000", "060400", width_max=16, speed_max=32.0, upstream=UP.bdf,
              acs_redirect=False)  # fmt: skip


GPU = device("0000:1b:00.0", driver="nvidia", width=16, width_max=16, speed=2.5, speed_max=32.0,
             numa_node=0, upstream=DOWN.bdf, iommu_group=7)  # fmt: skip


NIC = device("0000:18:00.0", "15b3", "020700", driver="mlx5_core", width=16, width_max=16,
             speed=32.0, speed_max=32.0, numa_node=0)  # fmt: skip


TREE = [ROOT, UP, DOWN, GPU, NIC]


VGA = device("0000:01:00.0", kind="030000")


LAPTOP = [device("0000:00:02.0", "8086", "030000"), replace(VGA, driver="nouveau")]


VIRTIO = [device("0000:00:03.0", "1af4", "020000", driver="virtio-pci")]


@pytest.mark.parametrize("machine", [LAPTOP, VIRTIO, []], ids=["laptop", "virtual", "empty"])
@pytest.mark.parametrize(
    ("id", "rest"),
    [
        ("pci.accelerator-driver", []),
        ("pci.accelerator-numa", [[NumaNode(0, "0"), NumaNode(1, "1")]]),
        ("pci.acs-redirect", [[METAL]]),
        ("pci.iommu-passthrough", [[Iommu((), ())], [METAL]]),
        ("pci.link-width", [[METAL]]),
        ("pci.link-speed", []),
        ("pci.aer-errors", []),
    ],
)
def test_nothing_is_asked_of_machines_without_accelerators(id, rest, machine):
    assert outcome(id, machine, *rest) is NA


@pytest.mark.parametrize(
    ("gpu", "expected"),
    [
        (GPU, PASS),
        (replace(GPU, width=8), FAIL),
        (replace(GPU, width=0), FAIL),
        (replace(GPU, width=None), UNKNOWN),
        (replace(GPU, width_max=None), UNKNOWN),
    ],
)
def test_link_width(gpu, expected):
    assert outcome("pci.link-width", [ROOT, UP, DOWN, gpu], [METAL]) is expected


def test_link_width_says_whether_the_slot_is_to_blame():
    small = replace(DOWN, width_max=8)
    assert severities("pci.link-width", [ROOT, UP, small, replace(GPU, width=8)], [METAL]) == {
        Severity.LOW
    }


def test_a_virtual_link_without_width_is_no_fault():
    hidden = replace(GPU, width=None, width_max=None, upstream="")
    assert outcome("pci.link-width", [hidden], [GUEST]) is NA
    assert outcome("pci.link-width", [replace(GPU, width=0, width_max=0)], [GUEST]) is NA


def test_virtual_functions_and_idle_gpus_are_not_judged_by_speed():
    function = replace(NIC, virtual_function=True, speed=2.5)
    assert outcome("pci.link-speed", [GPU, function]) is NA
    assert outcome("pci.link-speed", [replace(NIC, speed=16.0)]) is FAIL
    assert outcome("pci.link-speed", TREE) is PASS


def test_aer():
    assert outcome("pci.aer-errors", [replace(GPU, aer_fatal=0, aer_nonfatal=0)]) is PASS
    assert outcome("pci.aer-errors", [replace(GPU, aer_fatal=1, aer_nonfatal=0)]) is FAIL
    assert severities("pci.aer-errors", [replace(GPU, aer_nonfatal=3)]) == {Severity.MEDIUM}


@pytest.mark.parametrize(
    ("port", "where", "expected"),
    [(False, METAL, PASS), (True, METAL, FAIL), (None, METAL, UNKNOWN), (True, GUEST, NA)],
)
def test_acs(port, where, expected):
    tree = [ROOT, UP, replace(DOWN, acs_redirect=port), GPU]
    assert outcome("pci.acs-redirect", tree, [where]) is expected


def test_acs_does_not_matter_without_a_switch_or_for_a_passed_through_gpu():
    port = replace(ROOT, acs_redirect=True)
    assert outcome("pci.acs-redirect", [port, replace(GPU, upstream=ROOT.bdf)], [METAL]) is NA
    given = [ROOT, UP, replace(DOWN, acs_redirect=True), replace(GPU, driver="vfio-pci")]
    assert outcome("pci.acs-redirect", given, [METAL]) is NA


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("identity", PASS), ("DMA-FQ", FAIL), ("DMA", FAIL), ("", UNKNOWN), ("pass-through", UNKNOWN)],
)
def test_iommu(mode, expected):
    iommu = Iommu(("dmar0",), ((7, mode),))
    assert outcome("pci.iommu-passthrough", TREE, [iommu], [METAL]) is expected
    assert outcome("pci.iommu-passthrough", TREE, [iommu], [GUEST]) is NA


def test_iommu_off_passes_and_unseen_groups_do_not():
    gpu = [replace(GPU, iommu_group=None)]
    assert outcome("pci.iommu-passthrough", gpu, [Iommu((), ())], [METAL]) is PASS
    assert outcome("pci.iommu-passthrough", gpu, [Iommu(("dmar0",), ())], [METAL]) is UNKNOWN
    assert outcome("pci.iommu-passthrough", TREE, [Iommu((), ())], [METAL]) is UNKNOWN


@pytest.mark.parametrize(
    ("driver", "expected"),
    [("nvidia", PASS), (None, FAIL), ("nouveau", FAIL), ("vfio-pci", NA)],
)
def test_driver(driver, expected):
    assert outcome("pci.accelerator-driver", [replace(GPU, driver=driver)]) is expected


def test_several_graphics_cards_are_accelerators():
    cards = [replace(VGA, bdf=f"0000:0{n}:00.0", driver=None) for n in (1, 2)]
    assert outcome("pci.accelerator-driver", cards) is FAIL


def test_numa_node():
    two = [NumaNode(0, "0"), NumaNode(1, "1")]
    assert outcome("pci.accelerator-numa", TREE, two) is PASS
    assert outcome("pci.accelerator-numa", [replace(GPU, numa_node=-1)], two) is FAIL
    assert outcome("pci.accelerator-numa", [replace(GPU, numa_node=-1)], two[:1]) is NA
    assert outcome("pci.accelerator-numa", [replace(GPU, numa_node=None)], two) is UNKNOWN
