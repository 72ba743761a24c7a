import pytest

from assay.kit.quantity import integer, number, required
from assay.kit.seen import Unread


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("35 C", 35.0),
        ("250.15 W", 250.15),
        ("-3", -3.0),
        ("[N/A]", None),
        ("N/A", None),
        ("ERR!", None),
        ("[GPU is lost]", None),
        ("Requested functionality has been deprecated", None),
        ("Insufficient Permissions", None),
        ("", None),
        (None, None),
        ("abc", None),
        ("1e999", None),
        ("9" * 400, None),
    ],
)
def test_what_is_not_a_number_is_none(text, value):
    assert number(text) == value


def test_a_fraction_is_not_a_count():
    assert integer("3.5") is None
    assert integer("3 MiB") == 3


def test_required_names_what_is_missing():
    with pytest.raises(Unread, match="the memory size is not a number: 'ERR!'"):
        required("ERR!", "the memory size")
