"""Interfaces, flaps, settings and point-to-point benchmarks from what tools print."""

import json

import pytest

from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.kit.probe import registry
from assay.model.evidence import Capture, Evidence
from assay.model.facts.network import (
    EthernetQos,
    LinkFlap,
    NcclSetting,
    NetworkBandwidth,
    NetworkInterface,
    NicCounters,
)
from assay.probes import nccl_settings

PROBES = catalogue().probes


def facts(text, name=""):
    parsed = parse(text.encode(), PROBES, name=name)
    assert not any(result.error for result in parsed.results)
    assert not parsed.unknown, parsed.unknown
    return parsed.source, [fact for result in parsed.results for fact in result.facts]


def test_the_reference_host():
    found = understand(registry["network.interfaces"], host("hgx-h100"))
    assert not found.unread
    by_name = {interface.name: interface for interface in found.facts}
    assert len(by_name) == 11
    port = by_name["eno1np0"]
    assert (port.kind, port.up, port.carrier, port.duplex) == ("ethernet", True, True, "full")
    assert (port.speed_mbits, port.mtu, port.master) == (100000, 9000, "bond0")
    assert (port.driver, port.bdf, port.carrier_downs) == ("mlx5_core", "0000:3b:00.0", 2)
    assert dict(port.counters)["rx_packets"] == 712345678
    assert by_name["ibp24s0"].kind == "infiniband"
    assert by_name["bond0"].speed_mbits == 200000


def test_ip_link_as_text():
    text = """\
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
3: ens3f0np0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 9000 qdisc mq master bond0 state DOWN
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
       3259363    7226      4       1       0       0
    TX:  bytes packets errors dropped carrier collsns
        466698    4328      0       0       2       0
"""
    source, (lo, port) = facts(text)
    assert source == "ip-link"
    assert (lo.kind, lo.carrier) == ("loopback", True)
    assert (port.name, port.up, port.carrier, port.master) == ("ens3f0np0", True, False, "bond0")
    assert dict(port.counters) == {
        "rx_bytes": 3259363, "rx_packets": 7226, "rx_errors": 4, "rx_dropped": 1,
        "rx_missed_errors": 0, "multicast": 0,
        "tx_bytes": 466698, "tx_packets": 4328, "tx_errors": 0, "tx_dropped": 0,
        "tx_carrier_errors": 2, "collisions": 0,
    }  # fmt: skip


def test_ip_link_as_json():
    row = {
        "ifindex": 4, "ifname": "eth0", "flags": ["BROADCAST", "UP", "LOWER_UP"], "mtu": 1400,
        "operstate": "UP", "link_type": "ether",
        "stats64": {"rx": {"packets": 9, "errors": 1}, "tx": {"packets": 8, "collisions": 0}},
    }  # fmt: skip
    _, (port,) = facts(json.dumps([row]))
    assert port == NetworkInterface(
        "eth0", kind="ethernet", up=True, operstate="up", carrier=True, mtu=1400,
        counters=(("rx_packets", 9), ("rx_errors", 1), ("tx_packets", 8), ("collisions", 0)),
    )  # fmt: skip


def test_ethtool():
    text = """\
Settings for ens1np0:
\tSupported ports: [ Backplane ]
\tSpeed: 400000Mb/s
\tDuplex: Full
\tAuto-negotiation: on
\tLink detected: yes
Settings for ens2np0:
\tSpeed: Unknown!
\tDuplex: Unknown! (255)
\tLink detected: no (No cable)
"""
    source, (up, down) = facts(text)
    assert source == "ethtool"
    assert (up.name, up.speed_mbits, up.duplex, up.carrier) == ("ens1np0", 400000, "full", True)
    assert (down.name, down.speed_mbits, down.duplex, down.carrier) == ("ens2np0", None, "", False)
    text = (
        "# ethtool -i eth2\ndriver: bnxt_en\nversion: 6.8.0\n"
        "firmware-version: 227.1.111.0\nbus-info: 0000:C6:00.1\n"
    )
    source, (port,) = facts(text)
    assert source == "ethtool-i"
    assert (port.name, port.driver, port.firmware) == ("eth2", "bnxt_en", "227.1.111.0")
    assert port.bdf == "0000:c6:00.1"


def test_ethtool_statistics_of_two_interfaces():
    text = (
        "$ ethtool -S ens1\nNIC statistics:\n     rx_packets: 12\n"
        "     rx_prio3_pause: 0\n     [0]: x: 5\n"
        "$ ethtool -S ens2\nNIC statistics:\n     rx_packets: 18446744073709551615\n"
    )
    source, found = facts(text)
    assert source == "ethtool-S"
    assert found[0] == NicCounters(
        "ens1", (("rx_packets", 12), ("rx_prio3_pause", 0), ("[0]: x", 5))
    )
    assert found[1] == NicCounters("ens2", (("rx_packets", 2**64 - 1),))


def test_flaps_of_several_daemons_and_drivers():
    text = """\
Aug 17 06:18:01 n1 systemd-networkd[53]: ib6: Lost carrier
Aug 17 06:18:06 n1 systemd-networkd[53]: ib6: Gained carrier
Aug 17 06:19:06 n1 kernel: bnxt_en 0000:c6:00.0 eno1np0: NIC Link is Down
Aug 17 06:19:09 n1 kernel: bnxt_en 0000:c6:00.0 eno1np0: NIC Link is Up, 25000 Mbps full duplex
Aug 17 06:20:00 n1 kernel: mlx5_core 0000:18:00.0 ens1np0: Link down
Aug 17 06:21:00 n1 NetworkManager[9]: <info>  [1.2] device (ens2): carrier: link connected
Aug 17 06:22:00 n1 kernel: bond0: (slave ens3): link status definitely down, disabling slave
"""
    source, found = facts(text)
    assert source == "syslog-links"
    assert {flap.interface: (flap.lost, flap.gained) for flap in found} == {
        "ib6": (1, 1), "eno1np0": (1, 1), "ens1np0": (1, 0), "ens2": (0, 1), "ens3": (1, 0),
    }  # fmt: skip
    assert next(f for f in found if f.interface == "ib6") == LinkFlap(
        "ib6", 1, 1, "Aug 17 06:18:01", "Aug 17 06:18:01"
    )


def test_qos():
    text = """\
$ mlnx_qos -i ens1np0
DCBX mode: OS controlled
Priority trust state: dscp
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0
\tbuffer      0   0   0   1   0   0   0   0
"""
    source, (qos,) = facts(text)
    assert source == "mlnx_qos"
    assert qos == EthernetQos("ens1np0", pfc=(3,), trust="dscp")
    found = understand(registry["network.ethernet-qos"], host("mi300x")).facts
    assert found[0] == EthernetQos("enp108s0np0", ecn_notify=(3,), ecn_react=(3,))
    assert len(found) == 8


def test_nccl_settings_without_secrets():
    text = '# comment\nNCCL_ALGO = Ring # forced\nexport UCX_TLS="rc"\nNCCL_TOKEN=x\nPASSWORD=y\n'
    captures = {
        nccl_settings.CONF.source: Capture(
            nccl_settings.CONF.source,
            f"== /etc/nccl.conf answered {len(text)}\n{text}\n".encode(),
        ),
        nccl_settings.ENVIRONMENT.source: Capture(
            nccl_settings.ENVIRONMENT.source,
            b"/etc/profile.d/a.sh:export NCCL_PROTO=LL\n",
            exit_code=2,
        ),
    }
    found = understand(registry["network.nccl-settings"], Evidence("n", captures))
    assert not found.unread
    assert found.facts == (
        NcclSetting("NCCL_ALGO", "Ring", "/etc/nccl.conf"),
        NcclSetting("UCX_TLS", "rc", "/etc/nccl.conf"),
        NcclSetting("NCCL_PROTO", "LL", "/etc/profile.d/a.sh"),
    )
    del captures[nccl_settings.ENVIRONMENT.source]
    assert (
        "not read" in understand(registry["network.nccl-settings"], Evidence("n", captures)).unread
    )


HEAD = """\
                    RDMA_Write {}Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 4\t\tTransport type : IB
 Mtu             : 4096[B]
 Link type       : IB
"""


def test_perftest_bandwidth():
    text = HEAD.format("BW ") + (
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
        " 65536      5000             391.20             390.85\t\t   0.745487\n"
        " 8388608    5000             0.00               391.87\t\t   0.005839\n"
    )
    source, (small, large) = facts(text)
    assert source == "perftest"
    assert (small.test, small.device, small.size) == ("write_bw", "mlx5_0", 65536)
    assert (small.value, small.unit, small.gbits, small.peak) == (390.85, "Gb/s", 390.85, 391.2)
    assert (small.qps, small.mtu, small.link_type, small.gpu_direct) == (4, 4096, "IB", None)
    assert large.peak is None
    mebi = text.replace("Gb/sec", "MB/sec").replace("390.85", "46000.00")
    _, (small, _) = facts("initializing CUDA\n" + mebi)
    assert (small.unit, small.gbits, small.gpu_direct) == ("MiB/s", 385.876, True)


def test_perftest_latency():
    text = HEAD.format("Latency ") + (
        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
        "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\n"
        " 2       1000          1.51           3.93         1.60                1.62"
        "             0.05            1.90                    3.93\n"
    )
    _, (result,) = facts(text)
    assert (result.test, result.size, result.value) == ("write_lat", 2, None)
    assert (result.typical_us, result.average_us, result.p99_us) == (1.6, 1.62, 1.9)


def test_iperf3():
    document = {
        "start": {
            "version": "iperf 3.12",
            "test_start": {"protocol": "TCP", "num_streams": 8, "reverse": 1},
        },
        "end": {
            "sum_sent": {"bits_per_second": 9.9e10, "retransmits": 42},
            "sum_received": {"seconds": 10.0, "bits_per_second": 9.8e10},
        },
    }  # fmt: skip
    source, (result,) = facts(json.dumps(document, indent=2))
    assert source == "iperf3"
    assert result == NetworkBandwidth("iperf3", "tcp", 9.8e10, 10.0, 8, 42, None, True)
    failed = parse(
        b'{\n "start": {\n "version": "iperf 3.12"\n },\n "error": "unable to connect"\n}', PROBES
    )
    assert "unable to connect" in failed.unknown


@pytest.mark.parametrize(
    "name", ["ibstat", "perftest", "iperf3", "ip-link", "ethtool-S", "mlnx_qos"]
)
def test_nothing_is_unread_with_a_reason(name):
    assert parse(b"\n", PROBES, name=name).unknown
