"""The subnet as infiniband-diags print it."""

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.fabric import (
    FabricLink,
    FabricNode,
    FabricPort,
    FabricPortCounters,
    MulticastGroup,
    PartitionTable,
    SubnetManager,
)

PROBES = catalogue().probes
LEAF, HOST = "0x00aabb0200000001", "0x00aabb0400000102"


def facts(text):
    parsed = parse(text.encode(), PROBES)
    assert not any(result.error for result in parsed.results)
    assert not parsed.unknown, parsed.unknown
    return parsed.source, [fact for result in parsed.results for fact in result.facts]


def test_ibnetdiscover():
    text = f"""\
# Topology file: generated on Tue Jan  6 04:08:48 2026
vendid=0x2c9
devid=0xd2f2
sysimgguid=0xaabb0200000001
switchguid=0xaabb0200000001(aabb0200000001)
Switch\t65 "S-{LEAF[2:]}"\t\t# "leaf-1" enhanced port 0 lid 4 lmc 0
[1]\t"H-{HOST[2:]}"[1](aabb0400000102) \t\t# "gpu-001 mlx5_0" lid 9 4xNDR
[33]\t"S-00aabb0300000009"[2]\t\t# "spine-0" lid 3 2xNDR s=7 w=1 v=4 e=4

vendid=0x2c9
devid=0x1021
sysimgguid=0xaabb0400000101
caguid=0xaabb0400000101
Ca\t1 "H-{HOST[2:]}"\t\t# "gpu-001 mlx5_0"
[1](aabb0400000102) \t"S-{LEAF[2:]}"[1]\t\t# lid 9 lmc 0 "leaf-1" lid 4 4xNDR
"""
    source, found = facts(text)
    assert source == "ibnetdiscover"
    leaf, down, up, ca, back = found
    assert leaf == FabricNode("switch", LEAF, "leaf-1", 65, 4, "0xd2f2", "0x2c9")
    assert down == FabricLink(
        LEAF, "leaf-1", 1, 4, 4, "NDR", 400.0, "active", "", HOST, "gpu-001 mlx5_0", 1, 9
    )
    assert (up.width, up.rate, up.peer_name, up.peer_port) == (2, 200.0, "spine-0", 2)
    assert (ca.kind, ca.device_id) == ("ca", "0x1021")
    assert (back.lid, back.peer, back.peer_lid) == (9, LEAF, 4)


def test_ibnetdiscover_as_a_list_of_ports():
    text = (
        f"CA    9  1 {HOST} 4x NDR - SW    4  1 {LEAF} ( 'gpu-001 HCA-1' - 'leaf-1' )\n"
        f"SW    4 37 {LEAF} 4x SDR                                    'leaf-1'\n"
    )
    source, found = facts(text)
    assert source == "ibnetdiscover"
    assert [type(fact) for fact in found] == [FabricNode, FabricLink, FabricNode, FabricLink]
    assert (found[1].rate, found[1].peer, found[1].peer_name) == (400.0, LEAF, "leaf-1")
    assert (found[3].port, found[3].peer, found[3].state) == (37, "", "")


@pytest.mark.parametrize("long", [False, True])
def test_iblinkinfo(long):
    if long:
        text = (
            f'{LEAF} "                    leaf-1"      4    1[  ] ==( 4X        106.25 Gbps Active/'
            f'  LinkUp)==>  {HOST}      9    1[  ] "gpu-001 mlx5_0" ( )\n'
            f'{LEAF} "                    leaf-1"      4    2[  ] ==(        Down/ Polling)==>'
            '             [  ] "" ( )\n'
        )
    else:
        text = (
            f"Switch: {LEAF} leaf-1:\n"
            "           4    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       9    1[  ]"
            ' "gpu-001 mlx5_0" ( )\n'
            '           4    2[  ] ==(                Down/ Polling)==>             [  ] "" ( )\n'
        )
    source, (up, down) = facts(text)
    assert source == "iblinkinfo"
    assert (up.node, up.name, up.port, up.lid) == (LEAF, "leaf-1", 1, 4)
    assert (up.width, up.speed, up.rate, up.state, up.physical_state) == (
        4, "NDR", 400.0, "active", "linkup",
    )  # fmt: skip
    assert (up.peer_name, up.peer_lid, up.peer_port) == ("gpu-001 mlx5_0", 9, 1)
    assert (down.port, down.state, down.physical_state, down.rate) == (2, "down", "polling", None)


def test_perfquery_and_ibqueryerrors_use_the_kernels_names():
    text = """\
# Port counters: Lid 4 port 5 (CapMask: 0x5300)
PortSelect:......................5
CounterSelect:...................0x0000
SymbolErrorCounter:..............17
LinkDownedCounter:...............2
PortRcvData:.....................4294967295
# Port extended counters: Lid 6 port 255 (CapMask: 0x5300 CapMask2: 0x0000002)
PortSelect:......................255
PortXmitData:....................77
"""
    _, (one, other) = facts(text)
    assert one == FabricPortCounters(
        "", 5, (("symbol_error", 17), ("link_downed", 2), ("port_rcv_data", 4294967295)), lid=4
    )
    assert (other.lid, other.port, other.counters) == (6, None, (("port_xmit_data", 77),))
    text = """\
Errors for 0xaabb0200000001 "leaf-1"
   GUID 0xaabb0200000001 port ALL: [SymbolErrorCounter == 9] [PortXmitWait == 12 (a lot)]
   GUID 0xaabb0200000001 port 5: [LinkDownedCounter == 3]

## Summary: 12 nodes checked, 1 bad nodes found
"""
    source, (whole, port) = facts(text)
    assert source == "ibqueryerrors"
    assert (whole.node, whole.port, whole.name) == (LEAF, None, "leaf-1")
    assert whole.counters == (("symbol_error", 9), ("port_xmit_wait", 12))
    assert port.counters == (("link_downed", 3),)


def test_keys_and_partitions():
    text = """\
# Port info: Lid 3 port 1
Mkey:............................0x1122334455667788
SMLid:...........................1
LinkWidthActive:.................4X
LinkState:.......................Active
PhysLinkState:...................LinkUp
ProtectBits:.....................2
LinkSpeedActive:.................10.0 Gbps
MkeyViolations:..................5
PkeyViolations:..................0
LinkSpeedExtActive:..............106.25 Gbps
"""
    source, (port,) = facts(text)
    assert source == "smpquery-portinfo"
    assert port == FabricPort(
        3, 1, "active", "linkup", 4, 400.0, "0x1122334455667788", 2, 5, 0, sm_lid=1
    )
    _, (port,) = facts(text.replace("0x1122334455667788", "<not displayed>"))
    assert port.m_key == ""

    row = "0x0000 " * 6
    _, (table,) = facts(
        f"$ smpquery pkeys 12 1\n   0: 0x7fff 0x8001 {row}\n   8: {row}0x0000 0xffff\n"
    )
    assert table == PartitionTable(12, 1, ("0x7fff", "0x8001", "0xffff"))

    record = "PKeyTableRecord dump:\n\t\tLID.......2\n\t\tPort......0\n"
    _, (table,) = facts(
        f"{record}\t\tBlock......................0\n\t\tPKey Table:\n\t\t0xffff {row}0x0000\n"
    )
    assert table == PartitionTable(2, 0, ("0xffff",), 0)

    group = "MCMemberRecord group dump:\n\t\tMGID....................ff12:401b:8002::ffff:ffff\n"
    _, (found,) = facts(
        f"{group}\t\tMlid....................0xC002\n\t\tpkey....................0x8002\n"
    )
    assert found == MulticastGroup("ff12:401b:8002::ffff:ffff", "0x8002", "0xc002")


def test_managers_nodes_and_switches():
    line = (
        "sminfo: sm lid 1 sm guid 0x2c90400000101, activity count 286 priority 14 state 3"
        " SMINFO_MASTER"
    )
    _, (manager,) = facts(line)
    assert manager == SubnetManager(1, "0x0002c90400000101", 14, "master", 286)
    _, (node,) = facts('Switch\t: 0x0002c90300ff0001 ports 4 "spine-1" base port 0 lid 5 lmc 0\n')
    assert node == FabricNode("switch", "0x0002c90300ff0001", "spine-1", 4, 5)
    _, (node,) = facts(
        "NodeRecord dump:\n\t\tlid..........2\n\t\tnode_type....Channel Adapter\n"
        "\t\tnum_ports...............1\n\t\tnode_guid...............0xaabb0400000101\n"
        "\t\tNodeDescription.........gpu-001 mlx5_0\n"
    )
    assert (node.kind, node.lid, node.ports, node.name) == ("ca", 2, 1, "gpu-001 mlx5_0")
    text = """\
=================================================
leaf-9
=================================================
part number        | MQM8790-HS2F
product name       | Jaguar Unmng IB 200
ports              | 40
firmware version   | 27.2008.2500
-------------------------------------------------
uptime (d-h:m:s)   | 2d-01:00:05
-------------------------------------------------
PSU0 status        | OK
     power (W)     | 73
PSU1 status        | ERROR
     fan status    | ERROR
     power (W)     | N/A
-------------------------------------------------
temperature (C)    | 52
-------------------------------------------------
fan status         | OK
fan#1 (rpm)        | 5959
fan#2 (rpm)        | foo
-------------------------------------------------
"""
    source, (switch,) = facts(text)
    assert source == "ibswinfo"
    assert (switch.name, switch.ports, switch.uptime_seconds) == ("Jaguar Unmng IB 200", 40, 176405)
    assert switch.supplies == ((0, "OK"), (1, "ERROR"))
    assert (switch.supply_watts, switch.fans) == (((0, 73.0),), "OK")
    assert (switch.fan_rpm, switch.temperature_c) == (((1, 5959),), 52.0)


def test_mlxlink():
    text = """\
$ sudo mlxlink -d mlx5_3 -m -c

Operational Info
----------------
State                              : Active
Physical state                     : LinkUp
Speed                              : IB-NDR
Width                              : 4x
FEC                                : Standard_RS-FEC - (544,514)

Troubleshooting Info
--------------------
Status Opcode                      : 0
Recommendation                     : No issue was observed

Physical Counters and BER Info
------------------------------
Time Since Last Clear [Min]        : 121.4
Raw Physical BER                   : 4E-09
Effective Physical BER             : 15E-255
Symbol BER                         : 15E-255
Symbol Errors                      : 0
Link Down Counter                  : 3
Temperature [C]                    : 61 [-10..80]
"""
    source, (link,) = facts(text)
    assert source == "mlxlink"
    assert (link.device, link.state, link.speed, link.width) == ("mlx5_3", "active", "IB-NDR", 4)
    assert (link.raw_ber, link.link_downs, link.temperature_c) == (4e-09, 3, 61.0)
    assert link.trouble == "No issue was observed"
