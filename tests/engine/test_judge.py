"""The engine's own promises, on a small catalogue made for the purpose."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from assay.engine.judge import Facts, judge
from assay.engine.understand import Understanding
from assay.kit.annotations import gives, needs
from assay.kit.check import Check
from assay.kit.probe import Probe
from assay.kit.reading import Service, command, saved
from assay.kit.seen import Seen, Unread
from assay.model.evidence import Capture, Evidence
from assay.model.fact import Fact, Fleet
from assay.model.finding import Verdict, failed, passed
from assay.model.outcome import Outcome, Severity

READING = command("count")


@dataclass(frozen=True, slots=True)
class Number(Fact):
    value: int


def numbers(seen: Seen) -> Iterator[Number]:
    """Numbers, one a word."""
    for word in seen.text(READING).split():
        if word == "bug":
            raise RuntimeError("parser bug")
        if not word.isdigit():
            raise Unread(f"{word!r} is no number")
        yield Number(int(word))


def small(numbers: Sequence[Number]) -> Iterator[Verdict]:
    """Is every number small?"""
    for number in numbers:
        if number.value == 666:
            raise RuntimeError("check bug")
        if number.value > 9:
            yield failed(f"number {number.value}", "too large")
        else:
            yield passed(f"number {number.value}", "small")


def alike(numbers: Fleet[Number]) -> Iterator[Verdict]:
    """Do all nodes count alike?"""
    groups = sorted(numbers, key=lambda g: -len(g.nodes))
    for group in groups[1:]:
        yield Verdict(Outcome.FAIL, "host", "differs", nodes=group.nodes)
    if groups and len(groups) == 1:
        yield passed("host", "all alike")


def as_check(function, id="test.small"):
    return Check(
        id, "Is it?", Severity.HIGH, "w.", "f.", ("https://x",), "r", (), needs(function), function
    )


PROBE = Probe("test.numbers", "Numbers.", (READING,), gives(numbers), numbers)


def run(function, **nodes):
    understanding = Understanding([PROBE])
    for node, text in nodes.items():
        captures = {} if text is None else {"count": Capture("count", text.encode(), exit_code=0)}
        understanding.add(Evidence(node, captures))
    judgements, errors = judge([as_check(function)], Facts(understanding))
    return judgements[0], [*understanding.errors, *errors], understanding


def test_equal_answers_are_understood_and_judged_once():
    judgement, _, understanding = run(small, **{f"n{i}": "1 20" for i in range(50)}, odd="1")
    assert len(understanding.results) == 2
    (finding,) = judgement.findings
    assert len(finding.nodes) == 50
    assert (judgement.nodes, judgement.passed, judgement.failed) == (51, 51, 50)


def test_unread_is_unknown_and_names_the_reason():
    judgement, _, _ = run(small, a=None)
    assert judgement.outcome is Outcome.UNKNOWN
    assert judgement.findings[0].because == "`count` was not read in this run"


def test_what_was_read_before_the_junk_still_counts_but_never_passes_alone():
    judgement, _, _ = run(small, a="1 junk")
    assert judgement.outcome is Outcome.UNKNOWN
    assert judgement.passed == 1


def test_read_and_nothing_there_is_not_applicable():
    judgement, _, _ = run(small, a="")
    assert judgement.outcome is Outcome.NOT_APPLICABLE
    assert judgement.not_applicable == 1


@pytest.mark.parametrize("text", ["bug", "1 666"])
def test_a_bug_of_ours_is_unknown_with_an_error_record(text):
    judgement, errors, _ = run(small, a=text)
    assert judgement.outcome is Outcome.UNKNOWN
    assert "bug in Assay" in judgement.findings[0].because
    assert len(errors) == 1
    assert "bug" in errors[0].traceback


def test_a_fleet_check_names_the_odd_node_and_the_unread_one():
    judgement, _, _ = run(alike, a="1", b="1", c="2", d=None)
    assert [(f.outcome, f.nodes) for f in judgement.findings] == [
        (Outcome.FAIL, ("c",)),
        (Outcome.UNKNOWN, ("d",)),
    ]


def test_a_node_of_which_only_half_was_read_is_not_compared():
    judgement, _, _ = run(alike, a="1", b="1", c="1 junk")
    assert [(f.outcome, f.nodes) for f in judgement.findings] == [(Outcome.UNKNOWN, ("c",))]


CLUSTER = command("ask-the-scheduler", service=Service.SLURM)
SAVED = saved("diagnostics", looks_like="diagnostics")


@pytest.mark.parametrize("reading", [CLUSTER, SAVED], ids=lambda r: r.name)
def test_what_is_not_asked_of_a_node_is_no_unknown_of_that_node(reading):
    def words(seen: Seen) -> Iterator[Number]:
        """Numbers."""
        if reading is CLUSTER or seen.capture(reading):
            yield from (Number(int(word)) for word in seen.text(reading).split())

    probe = Probe("test.asked", "Numbers.", (reading,), gives(words), words)
    understanding = Understanding([probe])
    understanding.add(Evidence("node", {}))
    understanding.add(Evidence("head", {reading.source: Capture(reading.source, b"20")}))
    (judgement,), _ = judge([as_check(small)], Facts(understanding))
    assert judgement.not_applicable == 1
    assert [f.nodes for f in judgement.findings] == [("head",)]
    assert judgement.outcome is Outcome.FAIL


def test_a_finding_points_to_its_evidence():
    judgement, _, _ = run(small, a="20")
    (ref,) = judgement.findings[0].evidence
    assert (ref.node, ref.source) == ("a", "count")
    assert ref.sha256 == Capture("count", b"20").sha256
