"""The demo shows what it says it shows."""

from assay.demo.cluster import LOST, SICK, SOUND, Demo
from assay.engine.audit import audit, start
from assay.engine.catalogue import catalogue
from assay.engine.target import Options
from assay.model.outcome import Outcome


def test_every_planted_fault_is_found_on_its_node_and_none_on_a_sound_one():
    known, options = catalogue(), Options()
    report = audit(Demo(), known, (), options, start("demo", options))
    found = {(f.check, node) for f in report.findings(Outcome.FAIL) for node in f.nodes}
    assert {(check, node) for node, checks in SICK.items() for check in checks} <= found
    sound = {f"gpu-{number:03}" for number in range(1, SOUND + 1)}
    assert not [finding for finding in found if finding[1] in sound]
    assert LOST in report.nodes
    assert not report.errors
