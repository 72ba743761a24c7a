"""RoCE: addresses, MTU, congestion."""

import pytest

from assay.checks.fabric.nccl_gid_index import nccl_gid_index
from assay.checks.fabric.roce_congestion import roce_congestion
from assay.checks.fabric.roce_gid import roce_gid
from assay.checks.fabric.roce_mtu import roce_mtu
from assay.model.facts.fabric import RdmaGid, RdmaPort
from assay.model.facts.network import EthernetQos, NcclSetting, NetworkInterface
from assay.model.outcome import Outcome, Severity

PASS, FAIL, UNKNOWN = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN
LOCAL = "fe80:0000:0000:0000:9e63:c0ff:fe51:0200"
IPV4 = "0000:0000:0000:0000:0000:ffff:0a64:020c"
TABLE = (
    RdmaGid(0, LOCAL, "IB/RoCE v1"),
    RdmaGid(1, LOCAL, "RoCE v2"),
    RdmaGid(2, IPV4, "IB/RoCE v1"),
    RdmaGid(3, IPV4, "RoCE v2"),
)


def rails(**changes):
    return [
        RdmaPort(**{
            "device": f"mlx5_{n}", "port": 1, "link_layer": "Ethernet", "state": "active",
            "physical_state": "linkup", "rate": 400.0, "hca_type": "MT4129", "gids": TABLE,
            "netdev": f"eth{n}",
        } | changes)
        for n in (0, 1)
    ]  # fmt: skip


def outcomes(verdicts):
    return {verdict.outcome for verdict in verdicts}


@pytest.mark.parametrize(
    ("gids", "expected"),
    [
        (TABLE, PASS),
        (TABLE[:2], FAIL),
        (TABLE[:3], FAIL),
        ((), FAIL),
        (None, UNKNOWN),
        ((RdmaGid(3, IPV4, ""),), UNKNOWN),
        ((RdmaGid(5, IPV4, "RoCE v2"),), FAIL),
    ],
)
def test_gids(gids, expected):
    assert outcomes(roce_gid(rails(gids=gids))) == {expected}


def test_another_index_is_only_a_remark():
    verdicts = list(roce_gid(rails(gids=(RdmaGid(5, IPV4, "RoCE v2"),))))
    assert {verdict.severity for verdict in verdicts} == {Severity.LOW}


@pytest.mark.parametrize(
    ("value", "expected"),
    [("3", PASS), ("1", FAIL), ("2", FAIL), ("9", FAIL), ("40", UNKNOWN), ("x", FAIL), ("²", FAIL)],
)
def test_the_configured_index(value, expected):
    setting = NcclSetting("NCCL_IB_GID_INDEX", value, "/etc/nccl.conf")
    assert outcomes(nccl_gid_index(rails(), [setting])) == {expected}


def test_infiniband_has_no_such_questions():
    ports = rails(link_layer="InfiniBand")
    assert not list(roce_gid(ports))
    assert not list(nccl_gid_index(ports, []))
    assert not list(roce_mtu(ports, []))
    assert not list(roce_congestion(ports, []))


@pytest.mark.parametrize(
    ("mtu", "expected"), [(9000, PASS), (4200, PASS), (1500, FAIL), (None, UNKNOWN)]
)
def test_mtu(mtu, expected):
    interfaces = [NetworkInterface(f"eth{n}", mtu=mtu) for n in (0, 1)]
    assert outcomes(roce_mtu(rails(), interfaces)) == {expected}


@pytest.mark.parametrize(
    ("qos", "expected"),
    [
        ({"ecn_notify": (3,), "ecn_react": (3,)}, PASS),
        ({"ecn_notify": (3,), "ecn_react": (4,)}, FAIL),
        ({"ecn_notify": (), "ecn_react": ()}, FAIL),
        ({"ecn_notify": (3,)}, UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_congestion(qos, expected):
    settings = [] if qos is None else [EthernetQos(f"eth{n}", **qos) for n in (0, 1)]
    assert outcomes(roce_congestion(rails(), settings)) == {expected}
