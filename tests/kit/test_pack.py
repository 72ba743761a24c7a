import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kit.pack import Entry, PackError, dump, load

paths = st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"]))
entries = st.lists(st.builds(Entry, path=paths, data=st.binary(max_size=200)))


@given(entries)
def test_what_is_packed_comes_back(some):
    assert list(load(dump(some))) == some


@given(entries.filter(len), st.data())
def test_a_cut_pack_is_never_taken_for_a_whole_one(some, data):
    whole = dump(some)
    cut = data.draw(st.integers(1, len(whole) - 1))
    try:
        found = list(load(whole[:cut]))
    except PackError:
        return
    assert len(found) < len(some)


def test_foreign_bytes_are_refused():
    with pytest.raises(PackError, match="byte 0"):
        list(load(b"\x7fELF"))
