from hypothesis import given
from hypothesis import strategies as st

from assay.model.outcome import Outcome, Severity, worst

outcomes = st.lists(st.sampled_from(Outcome))


@given(outcomes, outcomes, outcomes)
def test_worst_is_associative_commutative_and_idempotent(a, b, c):
    assert worst([worst([worst(a), worst(b)]), worst(c)]) == worst(a + b + c)
    assert worst(a + b) == worst(b + a)
    assert worst([worst(a), worst(a)]) == worst(a)


@given(outcomes)
def test_adding_an_outcome_never_improves_the_whole(some):
    for one in Outcome:
        assert worst([*some, one]).rank >= worst(some).rank


def test_unknown_is_worse_than_pass_and_fail_is_worst():
    assert worst([Outcome.PASS, Outcome.UNKNOWN]) is Outcome.UNKNOWN
    assert worst([Outcome.FAIL, Outcome.UNKNOWN]) is Outcome.FAIL
    assert worst([]) is Outcome.NOT_APPLICABLE


def test_severity_is_ordered():
    assert [s.rank for s in Severity] == [0, 1, 2, 3, 4]
