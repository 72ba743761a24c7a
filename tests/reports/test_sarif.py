import json
from pathlib import Path

import jsonschema
import pytest
from sample import (
    CASES,
    CHECKS,
    EVERY,
    FAIL,
    UNKNOWN,
    excerpt,
    finding,
    fleet,
    large,
    one_machine,
    plain_vm,
    report,
)

from assay.reports import sarif

SCHEMA = json.loads(Path(__file__).with_name("sarif_schema.json").read_text())


def log(made, **options):
    said = sarif.render(made, CHECKS, excerpt, **options)
    found = json.loads(said)
    jsonschema.validate(found, SCHEMA)
    return found["runs"][0]


@pytest.mark.parametrize("case", EVERY)
@pytest.mark.parametrize("everything", [False, True])
def test_it_validates(case, everything):
    log(EVERY[case](), everything=everything)


@pytest.mark.parametrize("case", ["one-machine", "fleet"])
def test_the_log(case, stored):
    assert sarif.render(CASES[case](), CHECKS, excerpt) == stored("sarif")


def test_only_failures_and_unknowns_unless_everything_is_wanted():
    kinds = {result["kind"] for result in log(one_machine())["results"]}
    assert kinds == {"fail", "open"}
    kinds = {result["kind"] for result in log(one_machine(), everything=True)["results"]}
    assert kinds == {"fail", "open", "pass", "notApplicable"}
    assert log(plain_vm())["results"] == []


def test_a_rule_helps():
    rules = {rule["id"]: rule for rule in log(fleet())["tool"]["driver"]["rules"]}
    rule = rules["accelerator.xid-fatal"]
    assert rule["defaultConfiguration"]["level"] == "error"
    assert "Drain the node" in rule["help"]["markdown"]
    assert rule["helpUri"] == "https://docs.nvidia.com/deploy/xid-errors/index.html"
    assert "security-severity" not in rule["properties"]
    assert rules["security.bmc"]["properties"]["security-severity"] == "9.5"


def test_results_point_to_their_rule_their_node_and_their_device():
    run = log(fleet())
    result = next(r for r in run["results"] if r["ruleId"] == "fabric.link-width")
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == "fabric.link-width"
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "nodes/gpu-018"
    names = [logical["fullyQualifiedName"] for logical in location["logicalLocations"]]
    assert names == ["gpu-018", "gpu-018/mlx5_4/1"]


def fingerprints(because, subject="gpu 1", nodes=("a",)):
    made = report("t", ["a", "b"], [finding(FAIL, "accelerator.ecc", subject, because, nodes)])
    return [r["partialFingerprints"] for r in log(made)["results"]]


def test_a_fingerprint_is_the_check_and_its_subject():
    assert fingerprints("9 errors") == fingerprints("12 errors", nodes=("b",))
    assert fingerprints("9 errors") != fingerprints("9 errors", subject="gpu 2")


def test_fingerprints_of_one_run_differ():
    marks = [r["partialFingerprints"]["checkAndSubject/v1"] for r in log(large())["results"]]
    assert len(set(marks)) == len(marks)


def test_a_message_is_no_placeholder_and_no_link():
    made = report("t", ["a"], [finding(UNKNOWN, "system.clock", "host", "{0} [x](y)", ["a"])])
    (result,) = log(made)["results"]
    assert result["message"]["text"] == r"host: {{0}} \[x\](y)"


def test_our_bugs_and_lost_nodes_are_notifications():
    (invocation,) = log(fleet())["invocations"]
    assert not invocation["executionSuccessful"]
    levels = [note["level"] for note in invocation["toolExecutionNotifications"]]
    assert levels == ["error", "warning", "warning"]
