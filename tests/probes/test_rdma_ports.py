"""RDMA ports from every tool that people paste."""

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.fabric import RdmaGid, RdmaPort

PROBES = catalogue().probes


def facts(text, name=""):
    parsed = parse(text.encode(), PROBES, name=name)
    assert not any(result.error for result in parsed.results)
    assert not parsed.unknown, parsed.unknown
    return parsed.source, [fact for result in parsed.results for fact in result.facts]


IBSTAT = """\
[root@n1 ~]# ibstat
CA 'mlx5_0'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.43.3608
\tHardware version: 0
\tNode GUID: 0x9c63c00300abcd10
\tSystem image GUID: 0x9c63c00300abcd10
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 400
\t\tBase lid: 42
\t\tLMC: 0
\t\tSM lid: 7
\t\tCapability mask: 0xa751e848
\t\tPort GUID: 0x9c63c00300abcd10
\t\tLink layer: InfiniBand
CA 'mlx4_0'
\tCA type: MT4103
\tNumber of ports: 2
\tFirmware version: 2.42.5000
\tPort 1:
\t\tState: Initializing
\t\tPhysical state: LinkUp
\t\tRate: 56
\t\tLink layer: InfiniBand
\tPort 2:
\t\tState: Down
\t\tPhysical state: Polling
\t\tRate: 10
\t\tLink layer: Ethernet
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_ibstat(ending):
    source, (rail, first, second) = facts(IBSTAT.replace("\n", ending))
    assert source == "ibstat"
    assert rail == RdmaPort(
        "mlx5_0", 1, link_layer="InfiniBand", state="active", physical_state="linkup", rate=400.0,
        firmware="28.43.3608", hca_type="MT4129", lid=42, sm_lid=7,
    )  # fmt: skip
    assert (first.subject, first.state, first.rate) == ("mlx4_0/1", "init", 56.0)
    assert (second.subject, second.state, second.physical_state) == ("mlx4_0/2", "down", "polling")
    assert (second.roce, second.hca_type) == (True, "MT4103")


def test_a_banner_of_infiniband_diags_is_an_error_of_the_tool_and_no_port():
    text = "ibpanic: [4711] main: stat of IB device 'mlx5_3' failed: No such file or directory\n"
    _, (error,) = facts(text)
    assert (error.tool, error.kind, error.device) == ("infiniband-diags", "device-lost", "mlx5_3")
    _, (error,) = facts("ibwarn: [99] mad_rpc_open_port: can't open UMAD port ((null):0)\n")
    assert (error.kind, error.message) == (
        "other",
        "mad_rpc_open_port: can't open UMAD port ((null):0)",
    )


def test_ibstatus():
    text = """\
Infiniband device 'mlx5_7' port 1 status:
\tdefault gid:\t fe80:0000:0000:0000:9c63:c003:00ab:1234
\tbase lid:\t 0x1a
\tsm lid:\t\t 0x1
\tstate:\t\t 4: ACTIVE
\tphys state:\t 5: LinkUp
\trate:\t\t 200 Gb/sec (2X NDR)
\tlink_layer:\t InfiniBand
"""
    source, (port,) = facts(text)
    assert source == "ibstatus"
    assert (port.rate, port.width, port.speed, port.lid) == (200.0, 2, "NDR", 26)
    assert port.gids == (RdmaGid(0, "fe80:0000:0000:0000:9c63:c003:00ab:1234"),)


def test_ibv_devinfo_with_details():
    text = """\
hca_id:\tmlx5_2
\ttransport:\t\t\tInfiniBand (0)
\tfw_ver:\t\t\t\t28.43.3608
\tvendor_id:\t\t\t0x02c9
\tvendor_part_id:\t\t\t4129
\tboard_id:\t\t\tMT_0000000838
\tphys_port_cnt:\t\t\t1
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_ACTIVE (4)
\t\t\tmax_mtu:\t\t4096 (5)
\t\t\tactive_mtu:\t\t1024 (3)
\t\t\tsm_lid:\t\t\t0
\t\t\tport_lid:\t\t0
\t\t\tlink_layer:\t\tEthernet
\t\t\tactive_width:\t\t4X (2)
\t\t\tactive_speed:\t\t100.0 Gbps (128)
\t\t\tphys_state:\t\tLINK_UP (5)
\t\t\tGID[  0]:\t\tfe80:0000:0000:0000:9e63:c0ff:fe51:0200, RoCE v1
\t\t\tGID[  3]:\t\t::ffff:10.100.2.12, RoCE v2
"""
    source, (port,) = facts(text)
    assert source == "ibv_devinfo"
    assert (port.hca_type, port.board_id, port.mtu) == ("MT4129", "MT_0000000838", 1024)
    assert (port.rate, port.width, port.speed) == (400.0, 4, "NDR")
    assert (port.state, port.physical_state, port.roce) == ("active", "linkup", True)
    assert port.gids[1] == RdmaGid(3, "::ffff:10.100.2.12", "RoCE v2")
    assert port.gids[1].ipv4
    assert not port.gids[0].ipv4


@pytest.mark.parametrize(
    ("text", "layer", "lid"),
    [
        (
            "link mlx5_0/1 subnet_prefix fe80:0000:0000:0000 lid 13 sm_lid 1 lmc 0 state ACTIVE"
            " physical_state LINK_UP\n",
            "InfiniBand",
            13,
        ),
        ("1/1: mlx5_0/1: state ACTIVE physical_state LINK_UP netdev ens1f0np0\n", "Ethernet", None),
        (
            '[{"ifindex":0,"ifname":"mlx5_0","port":1,"state":"ACTIVE",'
            '"physical_state":"LINK_UP","netdev":"ens1f0np0","netdev_index":4}]\n',
            "Ethernet",
            None,
        ),
    ],
)
def test_rdma_link(text, layer, lid):
    source, (port,) = facts(text)
    assert source == "rdma-link"
    assert (port.subject, port.state, port.physical_state) == ("mlx5_0/1", "active", "linkup")
    assert (port.link_layer, port.lid) == (layer, lid)


def test_rdma_statistic_as_json_and_text():
    _, (port,) = facts('[{"ifname":"ionic_0","port":1,"rx_rdma_cnp_pkts":5,"tx_rdma_cnp_pkts":0}]')
    assert (port.subject, port.counters) == (
        "ionic_0/1",
        (("rx_rdma_cnp_pkts", 5), ("tx_rdma_cnp_pkts", 0)),
    )
    _, (port,) = facts("link mlx5_1/1 rx_write_requests 12 out_of_sequence 3\n  lifespan 10\n")
    assert port.counters == (("rx_write_requests", 12), ("out_of_sequence", 3), ("lifespan", 10))


def test_show_gids():
    text = """\
DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV
---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---
mlx5_4\t1\t1\tfe80:0000:0000:0000:0ac0:ebff:fe21:03da\t\t\tv2\trdma4
mlx5_4\t1\t3\t0000:0000:0000:0000:0000:ffff:0a64:040c\t10.100.4.12  \tv2\trdma4
n_gids_found=2
"""
    source, (port,) = facts(text)
    assert source == "show_gids"
    assert (port.subject, port.netdev) == ("mlx5_4/1", "rdma4")
    assert [(gid.index, gid.type, gid.ipv4) for gid in port.gids] == [
        (1, "RoCE v2", False),
        (3, "RoCE v2", True),
    ]


def test_a_dump_of_sysfs():
    root = "/sys/class/infiniband/mlx5_3"
    text = f"""\
{root}/hca_type=MT4131
{root}/fw_ver=40.45.1020
{root}/ports/1/state=4: ACTIVE
{root}/ports/1/phys_state=5: LinkUp
{root}/ports/1/rate=800 Gb/sec (4X XDR)
{root}/ports/1/link_layer=InfiniBand
{root}/ports/1/pkeys/0=0x8012
{root}/ports/1/pkeys/1=0x7fff
{root}/ports/1/pkeys/2=0x0000
{root}/ports/1/counters/link_downed=2
"""
    source, (port,) = facts(text)
    assert source == "sysfs-infiniband-flat"
    assert (port.rate, port.width, port.speed) == (800.0, 4, "XDR")
    assert port.pkeys == ("0x8012", "0x7fff")
    assert port.counters == (("link_downed", 2),)
    assert facts(text.replace("=", ":", 1))[0] == source


def test_an_unreadable_pkey_makes_the_table_unread():
    text = (
        "/sys/class/infiniband/x/ports/1/pkeys/0=0x8012\n/sys/class/infiniband/x/ports/1/pkeys/1="
    )
    _, (port,) = facts(text)
    assert port.pkeys is None
