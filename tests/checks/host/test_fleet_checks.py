"""Nodes of one kind should be alike."""

from assay.engine.catalogue import catalogue
from assay.model.fact import Fleet, Group
from assay.model.facts.dmi import Machine
from assay.model.facts.memory import (
    Memory,
)
from assay.model.facts.system import Kernel
from assay.model.outcome import Outcome, worst

CHECKS = {check.id: check for check in catalogue().checks}


NA, PASS, UNKNOWN, FAIL = Outcome


GIB = 1 << 30


def verdicts(id, *given):
    return list(CHECKS[id].judge(*given))


def outcome(id, *given):
    return worst(verdict.outcome for verdict in verdicts(id, *given))


def severities(id, *given):
    return {v.severity for v in verdicts(id, *given) if v.outcome is FAIL}


def kernel(release, taint=0):
    return [Kernel(release, "#1", "x86_64", taint=taint)]


BOX, HEAD = Machine("Dell", "XE9680", bios_version="2.1"), Machine("Dell", "R650")


def fleet(*groups):
    return Fleet([Group(tuple(nodes.split()), tuple(facts)) for nodes, facts in groups])


def test_one_node_in_four_has_another_kernel():
    kernels = fleet(("a b c", kernel("6.8.0-2")), ("d", kernel("6.8.0-1")))
    (odd,) = verdicts("system.same-kernel", kernels, fleet(("a b c d", [BOX])))
    assert (odd.outcome, odd.nodes) == (FAIL, ("d",))
    assert "3 of 4 nodes have 6.8.0-2" in odd.because


def test_other_kinds_of_nodes_may_differ():
    kernels = fleet(("a b", kernel("6.8.0-2")), ("h", kernel("5.15.0")))
    machines = fleet(("a b", [BOX]), ("h", [HEAD]))
    found = {v.nodes: v.outcome for v in verdicts("system.same-kernel", kernels, machines)}
    assert found == {("a", "b"): PASS, ("h",): NA}


def test_without_a_majority_all_are_named():
    kernels = fleet(("a", kernel("6.8.0-2")), ("b", kernel("6.8.0-1")))
    (split,) = verdicts("system.same-kernel", kernels, fleet(("a b", [BOX])))
    assert (split.outcome, set(split.nodes)) == (FAIL, {"a", "b"})


def test_memory_differs_by_a_module_and_not_by_what_the_kernel_keeps():
    boxes = fleet(("a b c", [BOX]))
    alike = fleet(
        ("a", [Memory(2012 * GIB)]), ("b", [Memory(2011 * GIB)]), ("c", [Memory(2013 * GIB)])
    )
    assert outcome("system.same-memory", alike, boxes) is PASS
    lost = fleet(("a b", [Memory(2012 * GIB)]), ("c", [Memory(1948 * GIB)]))
    assert outcome("system.same-memory", lost, boxes) is FAIL


def test_a_node_of_unknown_product_is_not_compared_with_named_ones():
    kernels = fleet(("a b", kernel("6.8.0-2")), ("x", kernel("6.8.0-1")))
    found = {
        v.nodes: v.outcome for v in verdicts("system.same-kernel", kernels, fleet(("a b", [BOX])))
    }
    assert found == {("a", "b"): PASS, ("x",): UNKNOWN}
    assert outcome("system.same-kernel", kernels, None) is FAIL  # no product is known at all


def test_firmware_that_does_not_tell_its_version_is_unknown():
    silent = Machine("Dell", "XE9680")
    found = {
        v.nodes: v.outcome for v in verdicts("system.same-firmware",
                                             fleet(("a b", [BOX]), ("c", [silent])))
    }  # fmt: skip
    assert found == {("a", "b"): PASS, ("c",): UNKNOWN}
