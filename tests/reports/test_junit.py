import xml.etree.ElementTree as ET

import pytest
from sample import CASES, CHECKS, EVERY, excerpt, fleet, large, one_machine, plain_vm

from assay.reports import junit


def tree(made):
    return ET.fromstring(junit.render(made, CHECKS, excerpt))


@pytest.mark.parametrize("case", ["one-machine", "fleet"])
def test_the_document(case, stored):
    assert junit.render(CASES[case](), CHECKS, excerpt) == stored("xml")


@pytest.mark.parametrize("case", EVERY)
def test_counts_are_those_of_the_cases(case):
    root = tree(EVERY[case]())
    for element in [root, *root]:
        cases = element.findall(".//testcase")
        assert int(element.get("tests")) == len(cases)
        for attribute, tag in (
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            assert int(element.get(attribute)) == len(element.findall(f".//{tag}"))
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert case == "hostile" or len(set(names)) == len(names)


def cases(made):
    return {case.get("name"): case for case in tree(made).iter("testcase")}


def test_a_suite_is_an_area_and_a_case_is_a_check():
    root = tree(one_machine())
    assert [suite.get("name") for suite in root][:2] == ["accelerator", "fabric"]
    found = cases(one_machine())
    assert found["accelerator.pcie-width"].find("failure").get("type") == "high"
    assert "cat /proc/driver" in found["security.driver-cve"].find("failure").text


def test_unknown_is_skipped_with_its_reason():
    skipped = cases(one_machine())["system.memory"].find("skipped")
    assert skipped.get("message") == "unknown: `dmesg` was refused: Operation not permitted"
    skipped = cases(plain_vm())["slurm.gres"].find("skipped")
    assert skipped.get("message") == "not applicable here"


def test_nodes_are_cases_only_where_they_differ():
    found = cases(fleet())
    assert found["slurm.gres [gpu-007]"].find("failure") is not None
    assert found["slurm.gres [others]"].find("failure") is None
    assert "31 other nodes" in found["slurm.gres [others]"].find("system-out").text
    assert found["security.ssh-password"].find("failure") is not None  # alike on every node
    assert "kernel.iommu" in found


def test_lost_nodes_are_skipped_and_our_bugs_are_errors():
    found = cases(fleet())
    assert "DOWN*" in found["gpu-032"].find("skipped").get("message")
    assert "Traceback" in found["probe fabric.counters [gpu-014]"].find("error").text


def test_many_nodes_with_one_answer_are_one_case():
    found = cases(large())
    assert len(found) < 150
    assert "storage.nvme-wear" in found
