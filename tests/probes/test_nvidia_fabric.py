"""NVLinks, topology, the fabric's services, the driver's own list, DCGM."""

import pytest

from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence
from assay.model.facts.accelerator import Accelerator, ScaleUpLink, VendorToolError
from assay.model.facts.device import DeviceAffinity, DeviceTest, PeerPath
from assay.model.facts.nvidia import (
    DriverGpu,
    FabricEvent,
    FabricLog,
    ImexDomain,
    ImexNode,
    NicPath,
    NvlinkCapability,
    NvlinkErrors,
    NvlinkState,
    PeerAccess,
    TopologyNode,
)
from assay.model.facts.software import Software
from assay.probes import (
    nvidia_dcgm,
    nvidia_dcgm_diag,
    nvidia_driver,
    nvidia_fabric,
    nvidia_nccl_topology,
    nvidia_nvlink,
    nvidia_topology,
)

SOUND = host("hgx-h100")


def facts(text, reading, kind=object):
    parsed = parse(text.encode(), catalogue().probes)
    assert parsed.source == reading.source
    return [f for result in parsed.results for f in result.facts if isinstance(f, kind)]


def why(text, reading):
    return parse(text.encode(), catalogue().probes, name=reading.name).unknown


def test_the_reference_node_has_all_its_nvlinks():
    found = list(nvidia_nvlink.links(Seen(SOUND)))
    links = [f for f in found if isinstance(f, ScaleUpLink)]
    assert len(links) == 8 * 18
    assert set(links) >= {ScaleUpLink("nvidia", 7, 17, True, 26.562, 0, 0, 0)}
    assert NvlinkState(3, "NVIDIA H100 80GB HBM3", True, 18, 18) in found


def test_links_that_are_down_and_gpus_without_any():
    text = (
        "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n"
        "\t Link 1: <inactive>\n\t Link 2: inactive\n"
        "GPU 1: NVIDIA L40S (UUID: GPU-2)\nDevice does not have or support Nvlink\n"
        "GPU 2: NVIDIA H200 (UUID: GPU-3)\n"
        "Nvlink queries are not supported for Devices in MIG mode\n"
    )
    found = facts(text, nvidia_nvlink.STATUS)
    states = [f for f in found if isinstance(f, NvlinkState)]
    assert [(s.supported, s.links, s.active) for s in states] == [
        (True, 3, 1),
        (False, None, None),
        (None, None, None),
    ]
    assert "MIG mode" in states[2].note
    assert [f.up for f in found if isinstance(f, ScaleUpLink)] == [True, False, False]


def test_link_errors_of_blackwell():
    text = (
        "GPU 0: NVIDIA B200 (UUID: GPU-1)\n\t Link 0: Malformed packet Errors: 0\n"
        "\t Link 0: Total link recovery events: 2\n\t Link 0: Effective BER: 15e-255\n"
        "\t Link 0: FEC Errors - 0: 36140749276\n\t Link 1: Symbol BER: N/A\n"
    )
    assert facts(text, nvidia_nvlink.ERRORS) == [
        NvlinkErrors(
            0,
            0,
            (
                ("malformed packet errors", 0),
                ("total link recovery events", 2),
                ("fec errors - 0", 36140749276),
            ),
            (("effective ber", 1.5e-254),),
        )
    ]


def test_link_status_without_the_error_counters():
    status = SOUND.captures[nvidia_nvlink.STATUS.source]
    found = list(nvidia_nvlink.links(Seen(Evidence("n", {status.source: status}))))
    assert {f.replays for f in found if isinstance(f, ScaleUpLink)} == {None}


def test_nvlink_without_a_driver_is_unread():
    banner = Capture(nvidia_nvlink.STATUS.source, b"NVIDIA-SMI has failed because it couldn't "
                     b"communicate with the NVIDIA driver.\n", exit_code=9)  # fmt: skip
    with pytest.raises(Unread):
        list(nvidia_nvlink.links(Seen(Evidence("n", {banner.source: banner}))))


def test_link_capabilities():
    text = (
        "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0, P2P is supported: true\n"
        "\t Link 0, Access to system memory supported: false\n\t Link 0, SLI is supported: so so\n"
    )
    assert facts(text, nvidia_nvlink.CAPABILITIES) == [
        NvlinkCapability(0, 0, "P2P is supported", True),
        NvlinkCapability(0, 0, "Access to system memory supported", False),
    ]


def test_the_reference_topology():
    found = list(nvidia_topology.topology(Seen(SOUND)))
    assert PeerPath("nvidia", 0, 7, "nvlink", None, 18) in found
    assert NicPath(4, "mlx5_4", "pix") in found
    assert NicPath(4, "mlx5_8", "sys") in found
    assert DeviceAffinity("nvidia", 7, 1, "56-111,168-223") in found
    assert sum(isinstance(f, PeerPath) for f in found) == 56


@pytest.mark.parametrize(
    "text",
    [
        "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
        "GPU0\t X \tNV18\tPIX\t0-55\t0\t\tN/A\nGPU1\tNV18\t X \tSYS\t0-55\t0\t\tN/A\n"
        "NIC0\tPIX\tSYS\t X \n\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_3\n",
        "$ nvidia-smi topo -m\r\n        GPU0\r\nGPU1    NIC0    CPU Affinity    NUMA Affinity\r\n"
        "GPU0     X      NV18    PIX     0-55    0\r\nGPU1    NV18     X      SYS     0-55    0\r\n"
        "\r\nNIC Legend:\r\n  NIC0: mlx5_3\r\n",
        "Note: GPU0 detected at startup\n"
        "        GPU0    GPU1    mlx5_3  CPU Affinity    NUMA Affinity\n"
        "GPU0     X      NV18    PIX     0-55            0\n"
        "GPU1    NV18     X      SYS     0-55            0\n",
    ],
)
def test_topologies_as_people_paste_them(text):
    found = facts(text, nvidia_topology.MATRIX)
    assert [f for f in found if isinstance(f, PeerPath)] == [
        PeerPath("nvidia", 0, 1, "nvlink", None, 18),
        PeerPath("nvidia", 1, 0, "nvlink", None, 18),
    ]
    assert [f for f in found if isinstance(f, NicPath)] == [
        NicPath(0, "mlx5_3", "pix"),
        NicPath(1, "mlx5_3", "sys"),
    ]
    assert DeviceAffinity("nvidia", 1, 0, "0-55") in found


def test_memory_of_the_gpu_is_not_a_node_of_cpus():
    text = (
        "\tGPU0\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
        "GPU0\t X \tSYS\t0-71\t0,2-17\t\t2\nNIC0\tSYS\t X \n"
    )
    found = facts(text, nvidia_topology.MATRIX)
    assert [f for f in found if isinstance(f, DeviceAffinity)] == [
        DeviceAffinity("nvidia", 0, None, "0-71")
    ]


def test_labels_that_ran_together_name_no_adapter():
    text = (
        "        GPU0    NIC0    NIC28NIC29    NIC30    CPU Affinity\n"
        "GPU0     X      PXB     SYS     NODE    0-55\n"
    )
    nics = [f for f in facts(text, nvidia_topology.MATRIX) if isinstance(f, NicPath)]
    assert nics == [NicPath(0, "NIC0", "pxb"), NicPath(0, "NIC30", "node")]


def test_an_unlisted_path_is_unread():
    text = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tQQQ\t0-3\nGPU1\tQQQ\t X \t0-3\n"
    assert "1 cells under 2 columns" in why(text, nvidia_topology.MATRIX)


def test_peer_access():
    text = (
        "$ nvidia-smi topo -p2p w\n \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n GPU1\tCNS\tX\t\n\n"
        "Legend:\n\n  X    = Self\n  OK   = Status Ok\n"
    )
    assert facts(text, nvidia_topology.ACCESS) == [
        PeerAccess(0, 1, "w", "OK"),
        PeerAccess(1, 0, "w", "CNS"),
    ]


def test_the_topology_of_nccl():
    text = """\
<system version="1">
  <cpu numaid="1" affinity="00ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:9a:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:9d:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="4" sm="90" rank="5" gdr="1"><nvlink target="0000:07:00.0" count="4"/></gpu>
      </pci>
      <pci busid="0000:9b:00.0" class="0x020700" link_speed="" link_width="0">
        <nic><net name="mlx5_4" dev="3" speed="400000" gdr="0"/></nic>
      </pci>
    </pci>
  </cpu>
</system>
"""
    assert facts(text, nvidia_nccl_topology.DUMP) == [
        TopologyNode("0000:9a:00.0", "switch", 1, "", 32, 16),
        TopologyNode("0000:9d:00.0", "gpu", 1, "0000:9a:00.0", 32, 16, "", 4, 5, None, True,
                     (("0000:07:00.0", 4),)),
        TopologyNode("0000:9b:00.0", "net", 1, "0000:9a:00.0", None, 0, "mlx5_4", 3, None, 400000,
                     False),
    ]  # fmt: skip
    assert "cut short" in why(text[:300], nvidia_nccl_topology.DUMP)


def test_complaints_of_fabric_manager_are_counted():
    error = "detected NVSwitch non-fatal error 12028 on NVSwitch pci bus id 00000000:86:00.0"
    text = (
        "[Feb 25 2025 13:59:45] [INFO] [tid 1803] Received an inband message:\n"
        "Message payload details:Team release request\n\n"
        f"[Feb 26 2025 01:00:00] [ERROR] [tid 12727] {error}\n"
        f"[Feb 27 2025 15:10:02] [ERROR] [tid 12727] {error}\n"
    )
    assert facts(text, nvidia_fabric.LOG) == [
        FabricLog("fabricmanager", 3, "Feb 25 2025 13:59:45", "Feb 27 2025 15:10:02"),
        FabricEvent("fabricmanager", "error", error, "Feb 26 2025 01:00:00",
                    "Feb 27 2025 15:10:02", 2),
    ]  # fmt: skip


def test_an_imex_domain():
    text = """{"nodes": {
      "0": {"status": "READY", "host": "10.0.0.1", "hostName": "gpu-1", "version": "580.95.05",
            "connections": {"0": {"host": "10.0.0.1", "status": "CONNECTED"},
                            "1": {"host": "10.0.0.2", "status": "INVALID"}}},
      "1": {"status": "UNAVAILABLE", "host": "10.0.0.2", "connections": {}}},
      "timestamp": "9/4/2026 00:37:39.905", "status": "DOWN"}"""
    pairs = (("10.0.0.1", "CONNECTED"), ("10.0.0.2", "INVALID"))
    assert facts(text, nvidia_fabric.IMEX) == [
        ImexDomain("DOWN", 2, 1),
        ImexNode("10.0.0.1", "READY", "580.95.05", "gpu-1", pairs),
        ImexNode("10.0.0.2", "UNAVAILABLE"),
    ]


def test_the_driver_knows_its_gpus():
    found = list(nvidia_driver.bound(Seen(SOUND)))
    assert [gpu.bdf for gpu in found][:2] == ["0000:1b:00.0", "0000:43:00.0"]
    lost = (
        "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 418\n"
        "GPU UUID: \t GPU-????????-????-????-????-????????????\nVideo BIOS: \t ??.??.??.??.??\n"
        "Bus Location: \t 0000:3b:00.0\nDevice Minor: \t 2\nGPU Excluded:\t Yes\n"
    )
    assert facts(lost, nvidia_driver.GPUS) == [
        DriverGpu("0000:3b:00.0", "NVIDIA H100 80GB HBM3", minor=2, excluded=True)
    ]


RULE = "+---------------------------+------------------------------------------------+\n"


def test_a_failing_diagnostic_of_dcgm_4():
    text = (
        "Successfully ran diagnostic for group.\n" + RULE
        + "| Diagnostic                | Result                                         |\n"
        "+===========================+================================================+\n"
        "|-----  Metadata  ----------+------------------------------------------------|\n"
        "| DCGM Version              | 4.4.2                                          |\n"
        "|-----  Deployment  --------+------------------------------------------------|\n"
        "| software                  | Fail                                           |\n"
        "|                           | GPU0: Pass                                     |\n"
        "|                           | GPU1: Fail                                     |\n"
        "| Warning: GPU1             | Persistence mode for GPU 1 is disabled.        |\n"
        "+-----  Hardware  ----------+------------------------------------------------+\n"
        "| memory                    | Pass                                           |\n" + RULE
    )  # fmt: skip
    assert facts(text, nvidia_dcgm_diag.DIAG) == [
        Software("dcgm", "4.4.2", "binary"),
        DeviceTest("dcgmi-diag", "software", "", "Fail"),
        DeviceTest("dcgmi-diag", "software", "gpu 0", "Pass"),
        DeviceTest("dcgmi-diag", "software", "gpu 1", "Fail",
                   detail="Persistence mode for GPU 1 is disabled."),
        DeviceTest("dcgmi-diag", "memory", "", "Pass"),
    ]  # fmt: skip


def test_a_failing_diagnostic_of_dcgm_3():
    text = (
        RULE + "| Diagnostic                | Result                                         |\n"
        "+===========================+================================================+\n"
        "| Denylist                  | Pass                                           |\n"
        "+-----  Hardware  ----------+------------------------------------------------+\n"
        "| GPU Memory                | Pass - GPUs: 0, 1                              |\n"
        "|                           | Fail - GPU: 3                                  |\n"
        "| Warning                   | GPU 3 had uncorrectable                        |\n"
        "|                           | memory errors                                  |\n"
        "| PCIe                      | Skip - All                                     |\n" + RULE
    )
    found = facts(text, nvidia_dcgm_diag.DIAG)
    assert [(t.test, t.device, t.status) for t in found] == [
        ("Denylist", "", "Pass"),
        ("GPU Memory", "gpu 0", "Pass"),
        ("GPU Memory", "gpu 1", "Pass"),
        ("GPU Memory", "gpu 3", "Fail"),
        ("PCIe", "", "Skip"),
    ]
    assert found[3].detail == "GPU 3 had uncorrectable memory errors"


@pytest.mark.parametrize(
    ("text", "device", "version"),
    [
        ('{"DCGM GPU Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [{"name":'
         ' "memory", "results": [{"gpu_ids": "2", "status": "FAIL", "warnings": ["DBE"]}]}, null]}'
         '], "version": "3.3.8"}}', "gpu 2", "3.3.8"),
        ('{"DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [{"name": '
         '"memory", "results": [{"entity_group": "GPU", "entity_id": 2, "status": "Fail", '
         '"warnings": [{"error_id": 29, "warning": "DBE"}]}]}]}]}, "metadata": {"version": "4.5"}}',
         "gpu 2", "4.5"),
    ],
)  # fmt: skip
def test_diagnostics_as_json(text, device, version):
    assert facts(text, nvidia_dcgm_diag.DIAG) == [
        Software("dcgm", version, "binary"),
        DeviceTest("dcgmi-diag", "memory", device, "Fail", detail="DBE"),
    ]


def test_dcgm_discovery():
    bar = "+--------+------------------------------------------------+\n"
    text = (
        "2 GPUs found.\n" + bar + "| GPU ID | Device Information                             |\n"
        + bar
        + "| 0      | Name: NVIDIA L4                                |\n"
        "|        | PCI Bus ID: 00000000:38:00.0                   |\n"
        "|        | Device UUID: GPU-1                             |\n" + bar
        + "0 NvSwitches found.\n+-----------+\n| Switch ID |\n+-----------+\n+-----------+\n"
    )  # fmt: skip
    assert facts(text, nvidia_dcgm.DISCOVERY) == [
        Accelerator("nvidia", 0, "NVIDIA L4", "GPU-1", "0000:38:00.0")
    ]
    parsed = parse(text.encode(), catalogue().probes)
    assert parsed.results[0].unread == "dcgmi counts 2 GPUs but describes 1"


def test_a_host_engine_that_does_not_run():
    text = "Error: unable to establish a connection to the specified host: localhost\n"
    (error,) = facts(text, nvidia_dcgm.DISCOVERY)
    assert error == VendorToolError("nvidia", "dcgmi", "other", text.strip())


@pytest.mark.parametrize(
    "text",
    [
        "Health Monitor Report\n"
        "+------------------+---------------------------------------------------------+\n"
        "| Group 1          | Overall Health: Warning                                 |\n"
        "+==================+=========================================================+\n"
        "| GPU ID: 0        | Warning                                                 |\n"
        "|                  | NVLink system: Warning                                  |\n"
        "+------------------+---------------------------------------------------------+\n",
        '{"body": {"GPU": {"children": {"0": {"children": {"Errors": {"children": {"NVLink system":'
        ' {"value": "Warning"}}}}, "value": "Warning"}}}, "Overall Health": {"value": "Warning"}},'
        ' "header": ["Health Monitor Report"]}',
    ],
)
def test_dcgm_health(text):
    assert facts(text, nvidia_dcgm.HEALTH) == [
        DeviceTest("dcgmi-health", "overall", "", "Warning"),
        DeviceTest("dcgmi-health", "health", "gpu 0", "Warning", detail="NVLink system: Warning"),
    ]


def test_a_node_without_gpus_has_no_links_and_no_paths():
    for reading, parse_ in (
        (nvidia_nvlink.STATUS, nvidia_nvlink.links),
        (nvidia_topology.MATRIX, nvidia_topology.topology),
    ):
        answer = Capture(reading.source, b"No devices were found\n", exit_code=6)
        assert not list(parse_(Seen(Evidence("n", {reading.source: answer}))))
