"""The PCI tree, as sysfs and as lspci show it."""

import pytest

from assay.demo.hosts import absent, pack
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.model.evidence import Capture, Evidence, Status
from assay.model.facts.iommu import Iommu
from assay.model.facts.pci import PciDevice
from assay.probes import pci, pci_iommu

PROBES = catalogue().probes
GPU = "0000:1b:00.0"


def facts(id, *captures):
    probe = next(p for p in PROBES if p.id == id)
    seen = understand(probe, Evidence("n", {c.source: c for c in captures}))
    assert seen.error is None, seen.error.traceback
    return seen


def saved(text):
    parsed = parse(text.encode(), PROBES)
    assert not any(r.error for r in parsed.results)
    return [fact for result in parsed.results for fact in result.facts]


def functions(**said):
    values = {"uevent": "DRIVER=nvidia\nPCI_CLASS=30200\nPCI_ID=10DE:2330\n", **said}
    return pack(pci.FUNCTIONS, {f"{pci.ROOT}{GPU}/{k}": v for k, v in values.items()})


def rest(**given):
    readings = {"tree": pci.TREE, "belongs": pci.BELONGS, "errors": pci.ERRORS, "ports": pci.PORTS}
    return [given.get(name, absent(reading)) for name, reading in readings.items()]


def test_a_gpu_with_everything():
    seen = facts(
        "pci.devices",
        functions(
            numa_node="1\n",
            current_link_speed="2.5 GT/s PCIe\n",
            max_link_speed="32.0 GT/s PCIe\n",
            current_link_width="16\n",
            max_link_width="16\n",
        ),
        *rest(
            tree=pack(
                pci.TREE,
                {pci.ROOT + GPU: f"../../../devices/pci0000:15/0000:15:01.0/0000:16:00.0/{GPU}"},
            ),
            belongs=pack(
                pci.BELONGS,
                {f"{pci.ROOT}{GPU}/iommu_group": "../../../../kernel/iommu_groups/42"},
            ),
            errors=pack(
                pci.ERRORS,
                {
                    f"{pci.ROOT}{GPU}/aer_dev_fatal": "DLP 0\nTOTAL_ERR_FATAL 0\n",
                    f"{pci.ROOT}{GPU}/aer_dev_nonfatal": "TLP 2\nTOTAL_ERR_NONFATAL 2\n",
                    f"{pci.ROOT}{GPU}/aer_dev_correctable": "RxErr 9\nTOTAL_ERR_COR 9\n",
                },
            ),
        ),
    )
    assert seen.unread == ""
    assert seen.facts == (
        PciDevice(
            bdf=GPU,
            vendor_id="10de",
            device_id="2330",
            class_id="030200",
            driver="nvidia",
            speed=2.5,
            speed_max=32.0,
            width=16,
            width_max=16,
            numa_node=1,
            iommu_group=42,
            virtual_function=False,
            upstream="0000:16:00.0",
            aer_fatal=0,
            aer_nonfatal=2,
            aer_correctable=9,
        ),
    )


@pytest.mark.parametrize(
    ("text", "lanes"), [("16", 16), ("63", 0), ("0", 0), ("255", None), ("Unknown", None)]
)
def test_widths_as_the_kernel_prints_them(text, lanes):
    (found,) = facts("pci.devices", functions(current_link_width=text + "\n"), *rest()).facts
    assert found.width == lanes


def test_what_was_lost_is_said_and_the_rest_is_kept():
    lost = Capture(pci.ERRORS.source, status=Status.TIMEOUT)
    seen = facts("pci.devices", functions(), *rest(errors=lost))
    assert len(seen.facts) == 1
    assert "timeout" in seen.unread


def config(*capabilities):
    """Configuration space with extended capabilities (id, control word) in a chain."""
    space = bytearray(4096)
    at = 0x100
    for n, (id, control) in enumerate(capabilities):
        following = at + 0x40 if n + 1 < len(capabilities) else 0
        space[at : at + 4] = (id | 1 << 16 | following << 20).to_bytes(4, "little")
        space[at + 6 : at + 8] = control.to_bytes(2, "little")
        at += 0x40
    return bytes(space)


@pytest.mark.parametrize(
    ("space", "redirects"),
    [
        (config((1, 0), (0x19, 0), (0xD, 0x1D)), True),
        (config((1, 0), (0xD, 0x01)), True),  # source validation alone
        (config((1, 0), (0xD, 0x10)), False),  # upstream forwarding alone
        (config((0xD, 0)), False),
        (config((1, 0x1D), (0x19, 0x1D)), False),  # no ACS at all
        (b"\x00" * 64, None),  # what an ordinary user gets
        (b"\xff" * 4096, None),  # a port that does not answer
        (config((1, 0))[:0x104], None),
    ],
)
def test_acs_of_a_port(space, redirects):
    assert pci.acs_redirect(space) is redirects


def test_acs_of_a_chain_in_a_circle():
    space = bytearray(config((1, 0)))
    space[0x100:0x104] = (1 | 1 << 16 | 0x100 << 20).to_bytes(4, "little")
    assert pci.acs_redirect(bytes(space)) is False


LSPCI = """\
$ lspci -nn
17:00.0 PCI bridge [0604]: Broadcom / LSI PEX890xx PCIe Gen 5 Switch [1000:c030] (rev b0)
1b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)
0001:c1:00.0 Non-Volatile memory controller [0108]: KIOXIA CM7 [1e0f:0013] (rev 01) (prog-if 02 [NVM Express])
"""  # noqa: E501
NUMERIC = "1b:00.0 0302: 10de:2330 (rev a1)\n1c:00.1 0200: 15b3:1021\n"
VERBOSE = """\
0000:17:00.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0) (prog-if 00 [Normal decode])
\tBus: primary=17, secondary=1b, subordinate=1b, sec-latency=0
\tNUMA node: 0
\tCapabilities: [2a0 v1] Access Control Services
\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans+
\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-
\tKernel driver in use: pcieport

0000:1b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)
\tControl: I/O- Mem+ BusMaster+
\tNUMA node: 1
\tIOMMU group: 77
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 (downgraded)
\t\tLnkCap2: Supported Link Speeds: 2.5-32GT/s, Crosslink- Retimer+
\t\tLnkSta2: Current De-emphasis Level: -3.5dB
\tKernel driver in use: nvidia
\tKernel modules: nvidiafb, nouveau, nvidia_drm, nvidia

0000:43:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev ff) (prog-if ff)
\t!!! Unknown header type 7f
\tKernel driver in use: nvidia
"""  # noqa: E501


def test_lspci_with_names_and_numbers():
    bridge, gpu, disk = saved(LSPCI)
    assert (bridge.vendor_id, bridge.class_id) == ("1000", "0604")
    assert gpu == PciDevice(
        GPU, "10de", "2330", "0302", name="NVIDIA Corporation GH100 [H100 SXM5 80GB]"
    )
    assert (disk.bdf, disk.class_id, disk.name) == ("0001:c1:00.0", "010802", "KIOXIA CM7")


def test_lspci_with_numbers_only():
    gpu, adapter = saved(NUMERIC)
    assert (gpu.vendor_id, gpu.device_id, gpu.class_id) == ("10de", "2330", "0302")
    assert (adapter.bdf, adapter.device_id) == ("0000:1c:00.1", "1021")


def test_lspci_verbose():
    bridge, gpu, lost = saved(VERBOSE)
    assert bridge.acs_redirect is True
    assert bridge.driver == "pcieport"
    assert (gpu.vendor_id, gpu.class_id, gpu.driver) == ("10de", "0302", "nvidia")
    assert (gpu.speed, gpu.speed_max, gpu.width, gpu.width_max) == (2.5, 32.0, 8, 16)
    assert (gpu.numa_node, gpu.iommu_group, gpu.upstream) == (1, 77, "0000:17:00.0")
    assert lost.width == 0  # all registers read as ones


def test_iommu():
    seen = facts(
        "pci.iommu",
        pack(pci_iommu.UNITS, {"/sys/class/iommu/dmar0": "../../devices/virtual/iommu/dmar0"}),
        pack(pci_iommu.MODES, {pci_iommu.ROOT + "12/type": "DMA-FQ\n"}),
    )
    assert seen.facts == (Iommu(("dmar0",), ((12, "DMA-FQ"),)),)
    assert seen.facts[0].mode(12) == "DMA-FQ"
    assert seen.facts[0].mode(13) is None
