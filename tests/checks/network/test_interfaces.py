"""Judgements about interfaces and NCCL settings that the plants do not show."""

import pytest

from assay.checks.network.duplex import full_duplex
from assay.checks.network.interface_errors import interface_errors
from assay.checks.network.link_flaps import link_flaps
from assay.checks.network.link_lost import link_lost
from assay.checks.network.nccl_paths_open import nccl_paths_open
from assay.checks.network.nccl_tuning_unset import nccl_tuning_unset
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.network import NcclSetting, NetworkInterface
from assay.model.facts.system import Kernel
from assay.model.outcome import Outcome, Severity

PASS, FAIL, UNKNOWN = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN


def eth(**changes):
    return NetworkInterface(**{"name": "eno1", "kind": "ethernet", "up": True} | changes)


def outcomes(verdicts):
    return [verdict.outcome for verdict in verdicts]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"carrier": True}, [PASS]),
        ({"carrier": False, "carrier_ups": 2}, [FAIL]),
        ({"carrier": False, "master": "bond0"}, [FAIL]),
        ({"carrier": False, "carrier_ups": 0}, []),
        ({"carrier": None}, [UNKNOWN]),
        ({"up": False}, []),
        ({"up": None, "carrier": False}, [UNKNOWN]),
        ({"kind": "loopback"}, []),
    ],
)
def test_lost_links(changes, expected):
    assert outcomes(link_lost([eth(**changes)])) == expected


def test_duplex():
    assert outcomes(full_duplex([eth(carrier=True, duplex="half")])) == [FAIL]
    assert outcomes(full_duplex([eth(carrier=True, duplex="")])) == []
    assert outcomes(full_duplex([eth(carrier=False, duplex="half")])) == []


def test_flaps_have_a_time_base_when_the_kernel_told():
    kernel = Kernel("6.8.0", "#1", "x86_64", uptime_seconds=86400.0 * 3)
    (verdict,) = link_flaps([eth(carrier_downs=9)], [kernel])
    assert "9 times in 3.0 days" in verdict.because
    assert verdict.severity is Severity.LOW
    (verdict,) = link_flaps([eth(carrier_downs=300)], None)
    assert verdict.severity is None
    assert outcomes(link_flaps([eth(carrier_changes=4)], None)) == [PASS]
    assert outcomes(link_flaps([eth()], None)) == []


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ((("rx_errors", 0), ("rx_packets", 10)), PASS),
        ((("rx_errors", 9), ("rx_packets", 10)), PASS),
        ((("rx_errors", 50), ("rx_packets", 10**9)), PASS),
        ((("rx_errors", 5000), ("rx_packets", 10**9)), FAIL),
        ((("tx_errors", 50), ("tx_packets", 0)), FAIL),
        (None, UNKNOWN),
    ],
)
def test_errors_are_set_against_packets(counters, expected):
    assert outcomes(interface_errors([eth(carrier=True, counters=counters)])) == [expected]


def test_settings_of_nccl():
    port = [RdmaPort("mlx5_0", 1)]
    forced = [NcclSetting("NCCL_ALGO", "Ring", "/etc/nccl.conf")]
    assert outcomes(nccl_tuning_unset(forced, [])) == [FAIL]
    assert outcomes(nccl_tuning_unset([], port)) == [PASS]
    assert outcomes(nccl_tuning_unset([], [])) == []
    off = [NcclSetting("NCCL_IB_DISABLE", "1", "/etc/nccl.conf")]
    assert outcomes(nccl_paths_open(off, port)) == [FAIL]
    assert outcomes(nccl_paths_open([NcclSetting("NCCL_IB_DISABLE", "0", "/x")], port)) == [PASS]
    assert outcomes(nccl_paths_open(off, [])) == []
