"""Nodes against nodes."""

from assay.checks.fabric.firmware_alike import firmware_alike
from assay.checks.fabric.nodes_alike import nodes_alike
from assay.checks.fabric.odd_ones import odd_nodes
from assay.checks.fabric.partitions_alike import partitions_alike
from assay.checks.network.speed_alike import speed_alike
from assay.model.fact import Fleet, Group
from assay.model.facts.accelerator import Accelerator
from assay.model.facts.fabric import RdmaPort
from assay.model.facts.network import NetworkInterface
from assay.model.outcome import Outcome

PASS, FAIL = Outcome.PASS, Outcome.FAIL


def port(n, **changes):
    return RdmaPort(**{
        "device": f"mlx5_{n}", "port": 1, "link_layer": "InfiniBand", "state": "active",
        "physical_state": "linkup", "rate": 400.0, "hca_type": "MT4129", "firmware": "28.1",
        "pkeys": ("0x8012",),
    } | changes)  # fmt: skip


def rails(number=8, **changes):
    return tuple(port(n, **changes) for n in range(number))


def fleet(**nodes):
    return Fleet([Group((name,), facts) for name, facts in nodes.items()])


def gpus(number, product="H100"):
    return tuple(Accelerator("nvidia", n, product) for n in range(number))


def told(verdicts):
    return {node: verdict.outcome for verdict in verdicts for node in verdict.nodes}


def test_without_a_majority_all_fail_and_a_single_node_is_not_judged():
    assert told(odd_nodes({"a": "x", "b": "y"}, "w")) == {"a": FAIL, "b": FAIL}
    assert told(odd_nodes({"a": "x", "b": "x", "c": "y"}, "w")) == {"a": PASS, "b": PASS, "c": FAIL}
    assert told(odd_nodes({"a": "x", "b": ""}, "w")) == {}


def test_a_node_that_lost_all_its_adapters_is_odd():
    ports = fleet(a=rails(), b=rails(), c=())
    accelerators = fleet(a=gpus(8), b=gpus(8), c=gpus(8))
    assert told(nodes_alike(ports, accelerators)) == {"a": PASS, "b": PASS, "c": FAIL}
    login = fleet(a=gpus(8), b=gpus(8), c=())
    assert told(nodes_alike(ports, login)) == {"a": PASS, "b": PASS}


def test_nodes_are_compared_with_their_own_kind():
    ports = fleet(a=rails(), b=rails(), c=rails(4, hca_type="MT4123", rate=200.0))
    accelerators = fleet(a=gpus(8), b=gpus(8), c=gpus(8, "A100"))
    assert told(nodes_alike(ports, accelerators)) == {"a": PASS, "b": PASS}
    assert told(nodes_alike(ports, None)) == {"a": PASS, "b": PASS}


def test_firmware_and_partitions():
    assert told(firmware_alike(fleet(a=rails(), b=rails(), c=rails(firmware="27.9")))) == {
        "a": PASS, "b": PASS, "c": FAIL,
    }  # fmt: skip
    other = rails(pkeys=("0x8044", "0x7fff"))
    assert told(partitions_alike(fleet(a=rails(), b=rails(), c=other)))["c"] is FAIL
    assert told(partitions_alike(fleet(a=rails(pkeys=None), b=rails(pkeys=None)))) == {}


def eth(name="eno1", speed=100000):
    return NetworkInterface(name, kind="ethernet", carrier=True, speed_mbits=speed)


def test_speeds():
    found = told(speed_alike(fleet(a=(eth(),), b=(eth(),), c=(eth(speed=25000),))))
    assert found == {"a": PASS, "b": PASS, "c": FAIL}
    assert told(speed_alike(fleet(a=(eth("x"),), b=(eth("y"),)))) == {}
