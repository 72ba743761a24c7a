import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.reports.nodeset import expand, fold, natural

like_nodes = st.from_regex(
    r"(gpu|rack[0-9]{1,2}-n|n)-?[0-9]{1,4}(\.pod[0-9]{1,2})?", fullmatch=True
)
anything = st.text(st.characters(exclude_categories=()), min_size=1, max_size=12)


@given(st.lists(st.one_of(like_nodes, anything)))
@example(["a[1-2]", "a,b", "a\\", "a]", "\\[", "1", "01", "001", "10", "9", "09"])
@example(["x" + "9" * 18, "x" + "9" * 19, "x" + "9" * 5000])
@example([f"n{number}" for number in range(95, 105)])
def test_expand_is_the_exact_inverse_of_fold(names):
    assert sorted(expand(fold(names))) == sorted(set(names))


@given(st.lists(like_nodes, min_size=1))
def test_folding_what_was_unfolded_changes_nothing(names):
    assert fold(expand(fold(names))) == fold(names)


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ([], ""),
        (["login"], "login"),
        ([f"gpu-{n:03}" for n in [*range(1, 129), 130]], "gpu-[001-128,130]"),
        (["n8", "n9", "n10", "n11"], "n[8-11]"),
        (["n08", "n09", "n10"], "n[08-10]"),
        (["n998", "n999", "n1000"], "n[998-1000]"),
        (["n098", "n099", "n100", "n1000"], "n[098-100,1000]"),
        (["n1", "n01"], "n[1,01]"),
        ([f"r{r}-n{n:02}" for r in (1, 2, 3) for n in (1, 2)], "r[1-3]-n[01-02]"),
        (["r1-n1", "r1-n2", "r2-n1"], "r1-n[1-2],r2-n1"),
        (["ip-10-0-0-7", "ip-10-0-0-8", "ip-10-0-1-7"], "ip-10-0-0-[7-8],ip-10-0-1-7"),
        (["b", "a", "b"], "a,b"),
        (["gpu1.cluster.local", "gpu2.cluster.local"], "gpu[1-2].cluster.local"),
        (["a[1]"], r"a\[1\]"),
    ],
)
def test_fold(names, folded):
    assert fold(names) == folded
    assert set(expand(folded)) == set(names)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a[1", "no ]"),
        ("a]1", "no ["),
        ("a[]", "no range"),
        ("a[x]", "no range"),
        ("a[2-1]", "no range"),
        ("a[1-999999999999]", "no range"),
        ("a[1-1000]b[1-1000]c[1-10]", "more than 1,000,000 nodes"),
        (",a", "no name before"),
        ("a,", "no name after"),
        ("a,,b", "no name before"),
    ],
)
def test_expand_says_what_is_wrong(text, complaint):
    with pytest.raises(ValueError, match=complaint.replace("[", r"\[")):
        expand(text)


@given(st.text(max_size=30))
def test_expand_gives_names_or_a_value_error(text):
    try:
        names = expand(text)
    except ValueError:
        return
    assert all(names)


def test_natural_order_counts():
    assert sorted(["n10", "n9", "n09", "m"], key=natural) == ["m", "n09", "n9", "n10"]


def test_a_large_cluster_folds_into_a_line():
    names = [f"pod{pod:02}-gpu{node:03}" for pod in range(25) for node in range(500)]
    assert fold(names) == "pod[00-24]-gpu[000-499]"
