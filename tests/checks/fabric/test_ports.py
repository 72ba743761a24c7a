"""Judgements about ports that the plants do not show."""

import pytest

from assay.checks.fabric import parts
from assay.checks.fabric.device_nodes_open import device_nodes_open
from assay.checks.fabric.error_counters import error_counters
from assay.checks.fabric.link_width import link_width
from assay.checks.fabric.mad_devices_closed import mad_devices_closed
from assay.checks.fabric.pkey_isolation import pkey_isolation
from assay.checks.fabric.port_rate import port_rate
from assay.checks.fabric.ports_active import ports_active
from assay.checks.fabric.rails_alike import rails_alike
from assay.checks.fabric.rails_per_accelerator import rails_per_accelerator
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.fabric import RdmaDeviceNode, RdmaPort
from assay.model.outcome import Outcome, Severity

PASS, FAIL, UNKNOWN, NA = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN, Outcome.NOT_APPLICABLE


def port(n=0, **changes):
    return RdmaPort(**{
        "device": f"mlx5_{n}", "port": 1, "link_layer": "InfiniBand", "state": "active",
        "physical_state": "linkup", "rate": 400.0, "width": 4, "speed": "NDR",
        "hca_type": "MT4129", "board_id": "MT_1", "firmware": "28.1",
        "pkeys": ("0x8012", "0x7fff"), "counters": (("symbol_error", 0), ("link_downed", 0)),
        "bdf": f"0000:{n + 16:02x}:00.0", "virtual": False,
    } | changes)  # fmt: skip


def rails(number=8):
    return [port(n) for n in range(number)]


def outcomes(check, *facts):
    return {verdict.subject: verdict.outcome for verdict in check(*facts)}


@pytest.mark.parametrize(
    ("state", "physical", "expected"),
    [
        ("active", "linkup", PASS),
        ("down", "polling", FAIL),
        ("init", "linkup", FAIL),
        ("active", "linkerrorrecovery", FAIL),
        ("activedefer", "linkup", FAIL),
        ("", "linkup", UNKNOWN),
        ("active", "", UNKNOWN),
        ("fine", "linkup", UNKNOWN),
        ("active", "excellent", UNKNOWN),
    ],
)
def test_only_active_and_linkup_is_up(state, physical, expected):
    sick = [*rails(7), port(7, state=state, physical_state=physical)]
    assert outcomes(ports_active, sick)["mlx5_7/1"] is expected


def test_a_port_that_is_no_rail_weighs_less():
    spare = port(8, board_id="MT_2", state="down", physical_state="polling")
    (verdict,) = [v for v in ports_active([*rails(), spare]) if v.outcome is FAIL]
    assert (verdict.subject, verdict.severity) == ("mlx5_8/1", Severity.LOW)
    frontend = port(9, hca_type="MT4125", link_layer="Ethernet", state="down",
                    physical_state="disabled")  # fmt: skip
    assert outcomes(ports_active, [*rails(), frontend])["mlx5_9/1"] is NA


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rate": 400.0}, PASS),
        ({"rate": 100.0}, FAIL),
        ({"rate": 200.0}, UNKNOWN),  # a card with two 200 Gb/s ports, or half of one with 400
        ({"rate": 200.0, "board_id": "MT_0000000838"}, FAIL),
        ({"rate": None}, UNKNOWN),
        ({"hca_type": "MT4131", "rate": 400.0, "board_id": ""}, UNKNOWN),
        ({"hca_type": "MT4131", "rate": 800.0}, PASS),
        ({"hca_type": "MT4123", "rate": 200.0}, PASS),
        ({"hca_type": "MT9999", "rate": 400.0}, UNKNOWN),
        ({"hca_type": "MT4125", "rate": 25.0, "link_layer": "Ethernet"}, None),
        ({"state": "down", "rate": 10.0}, None),
    ],
)
def test_rate_against_the_part(changes, expected):
    assert list(outcomes(port_rate, [port(**changes)]).values()) == ([expected] if expected else [])


def test_half_rate_is_judged_by_its_neighbours():
    assert outcomes(port_rate, [*rails(7), port(7, rate=200.0)])["mlx5_7/1"] is FAIL
    two = [port(0, rate=200.0), port(1, rate=200.0, bdf="0000:10:00.1")]
    assert set(outcomes(port_rate, two).values()) == {PASS}


def test_width():
    assert outcomes(link_width, [port(width=2, speed="NDR")])["mlx5_0/1"] is UNKNOWN
    assert outcomes(link_width, [*rails(7), port(7, width=2)])["mlx5_7/1"] is FAIL
    assert outcomes(link_width, [port(width=None)])["mlx5_0/1"] is UNKNOWN
    assert outcomes(link_width, [port(link_layer="Ethernet", width=1)]) == {}


@pytest.mark.parametrize(
    ("pkeys", "expected"),
    [
        (("0x8012", "0x7fff"), PASS),
        (("0x8012",), PASS),
        (("0x8012", "0xffff"), FAIL),
        (("0xffff",), FAIL),
        (("0x7fff",), UNKNOWN),
        ((), UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_pkeys(pkeys, expected):
    assert outcomes(pkey_isolation, [port(pkeys=pkeys)])["mlx5_0/1"] is expected
    assert outcomes(pkey_isolation, [port(pkeys=pkeys, link_layer="Ethernet")]) == {}


def test_the_factory_table_of_a_dead_port_is_no_proof():
    assert outcomes(pkey_isolation, [port(pkeys=("0xffff",), state="down")])["mlx5_0/1"] is UNKNOWN


@pytest.mark.parametrize(
    ("counters", "severity"),
    [
        ({"link_downed": 2}, Severity.LOW),
        ({"link_downed": 12}, None),
        ({"link_downed": 255}, None),
        ({"symbol_error": 3}, Severity.LOW),
        ({"symbol_error": 5000}, None),
        ({"port_rcv_errors": 14, "excessive_buffer_overrun_errors": 15}, Severity.LOW),
    ],
)
def test_error_counters_weigh_by_number(counters, severity):
    (verdict,) = error_counters([port(counters=tuple(counters.items()))])
    assert (verdict.outcome, verdict.severity) == (FAIL, severity)


def test_counters_that_were_not_read_never_pass():
    assert outcomes(error_counters, [port(counters=None)])["mlx5_0/1"] is UNKNOWN
    load = (("port_xmit_packets", 5),)
    assert outcomes(error_counters, [port(counters=load)])["mlx5_0/1"] is UNKNOWN
    assert outcomes(error_counters, [port(counters=None, link_layer="Ethernet")]) == {}


def test_rails_are_the_largest_group_of_fast_ports():
    frontend = [port(n, hca_type="MT4125", board_id="F", rate=100.0) for n in (8, 9)]
    assert parts.rails([*frontend, *rails()]) == rails()
    assert parts.rails([port()]) == []
    assert parts.rails([port(n, hca_type="", board_id="", rate=25.0) for n in (0, 1)]) == []


def test_rails_alike_ignores_the_rate_of_a_dead_port_and_a_mixed_two_port_card():
    dead = [*rails(7), port(7, rate=10.0, state="down")]
    assert FAIL not in outcomes(rails_alike, dead).values()
    vpi = [port(0), port(1, link_layer="Ethernet", bdf="0000:10:00.1")]
    assert set(outcomes(rails_alike, vpi).values()) == {PASS}


@pytest.mark.parametrize(
    ("ports", "accelerators", "expected"),
    [(8, 8, PASS), (7, 8, FAIL), (4, 8, PASS), (10, 8, PASS), (8, 0, None), (0, 8, None)],
)
def test_rails_for_accelerators(ports, accelerators, expected):
    devices = [Accelerator("nvidia", n) for n in range(accelerators)]
    found = outcomes(rails_per_accelerator, rails(ports), devices * 2)
    assert found == ({"host": expected} if expected else {})


def node(name, mode, type="c"):
    return RdmaDeviceNode(f"/dev/infiniband/{name}", type, mode, 0, 0)


def test_device_nodes():
    cm = node("rdma_cm", 0o666)
    assert outcomes(device_nodes_open, [], rails(1))["host"] is FAIL
    fine = outcomes(device_nodes_open, [node("uverbs0", 0o666), cm], rails(1))
    assert set(fine.values()) == {PASS}
    for wrong in (node("uverbs0", 0o660), node("uverbs0", 0o666, "f"), node("uverbs0", 0o664)):
        assert FAIL in outcomes(device_nodes_open, [wrong, cm], rails(1)).values()
    assert outcomes(device_nodes_open, [], []) == {}
    assert outcomes(mad_devices_closed, [node("umad0", 0o666)], rails(1)) == {
        "infiniband/umad0": FAIL
    }
    roce = [port(link_layer="Ethernet")]
    assert outcomes(mad_devices_closed, [node("umad0", 0o666)], roce) == {}
