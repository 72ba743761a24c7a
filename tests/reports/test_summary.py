from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample import (
    FAIL,
    UNKNOWN,
    all_green,
    finding,
    fleet,
    large,
    nothing,
    one_machine,
    plain_vm,
    report,
)

from assay.model.outcome import Outcome, Severity
from assay.model.report import ErrorRecord, NodeRow, NodeState, Report
from assay.reports import summary


@pytest.mark.parametrize(
    ("made", "outcome", "sentence"),
    [
        (one_machine, Outcome.FAIL, "4 of 18 checks fail (2 high, 2 low)."),
        (
            fleet,
            Outcome.FAIL,
            "8 of 21 checks fail (3 critical, 2 high, 2 medium, 1 low) on 31 of 32 nodes.",
        ),
        (all_green, Outcome.PASS, "All 21 checks that apply pass on all 4 nodes."),
        (plain_vm, Outcome.PASS, "All 4 checks that apply pass."),
        (
            nothing,
            Outcome.UNKNOWN,
            "Nothing could be judged: 3 of 3 nodes were not wholly read"
            " and the run did not come to its end.",
        ),
        (large, Outcome.FAIL, "1 of 21 checks fails (critical) on 100 of 12,500 nodes."),
    ],
)
def test_the_headline(made, outcome, sentence):
    found = summary.headline(made())
    assert (found.outcome, found.sentence) == (outcome, sentence)


def lost(state):
    rows = [NodeRow("a", NodeState.READ), NodeRow("b", state, "no answer")]
    return report("t", ["a"], rows=rows)


@pytest.mark.parametrize(
    "doubtful",
    [
        lost(NodeState.UNREAD),
        lost(NodeState.PARTIAL),
        report("t", ["a"], complete=False),
        report("t", ["a"], errors=[ErrorRecord("probe x", "y", "z")]),
        report("t", ["a"], [finding(UNKNOWN, "system.clock", "host", "why", ["a"])]),
        replace(all_green(), nodes=()),
        Report(all_green().run, (), ()),
    ],
)
def test_doubt_is_never_a_pass(doubtful):
    assert summary.headline(doubtful).outcome is Outcome.UNKNOWN


def test_nothing_that_applies_is_not_a_pass():
    bare = report("t", ["a"], absent={j.check for j in all_green().judgements})
    assert summary.headline(bare).outcome is Outcome.NOT_APPLICABLE


def test_worst_checks_and_nodes_come_first():
    made = fleet()
    assert [f.judgement.check for f in summary.failing(made)][:3] == [
        "accelerator.xid-fatal",
        "accelerator.count",
        "slurm.gres",
    ]
    order = [node.row.name for node in summary.worst_first(summary.nodes(made))]
    assert order[:3] == ["gpu-007", "gpu-021", "gpu-018"]
    assert order[-1] == "gpu-032"


def test_a_node_that_was_not_wholly_read_is_not_a_pass():
    (_, node) = summary.nodes(lost(NodeState.PARTIAL))
    assert node.outcome is Outcome.UNKNOWN


def test_unknowns_are_grouped_by_reason():
    found = summary.reasons(fleet())
    assert found[0].because == "`nvme` needs root: Permission denied"
    assert found[0].checks == ("security.bmc", "storage.nvme-wear")
    assert len(found[0].nodes) == 31
    assert found[0].severity is Severity.CRITICAL


def test_lost_nodes_are_grouped_and_keep_the_schedulers_word():
    reasons = [(group.nodes, group.reason) for group in summary.unread(fleet())]
    assert (("gpu-032",), "no answer within 20 s (the scheduler says DOWN*)") in reasons


def test_equal_sentences_about_several_subjects_become_one():
    here = ["a"]
    gpus = [finding(FAIL, "accelerator.ecc", f"gpu {at}", "ECC is off", here) for at in range(8)]
    other = finding(FAIL, "accelerator.ecc", "gpu 9", "9 uncorrected errors", here)
    found = summary.together([*gpus, other])
    assert [f.subject for f in found] == ["gpu [0-7]", "gpu 9"]
    assert found[0].evidence == gpus[0].evidence


def test_counts_by_area_add_up():
    made = one_machine()
    areas = summary.by_area(made)
    assert sum(found.total for found in areas.values()) == len(made.judgements)
    assert summary.counts(made).pairs == (
        (Outcome.FAIL, 4), (Outcome.UNKNOWN, 3), (Outcome.PASS, 11), (Outcome.NOT_APPLICABLE, 3),
    )  # fmt: skip
    assert areas["accelerator"][Outcome.FAIL] == 2


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=4), st.integers(4, 60))
def test_a_bar_is_filled_and_shows_everything_that_is_there(values, cells):
    given_cells = summary.share(values, cells)
    assert sum(given_cells) == (cells if any(values) else 0)
    assert all((cell > 0) == (value > 0) for cell, value in zip(given_cells, values, strict=True))
