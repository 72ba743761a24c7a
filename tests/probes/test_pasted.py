import pytest

from assay.kit.seen import Unread
from assay.probes.pasted import bdf, boxed, clean, count, documents, mib, real, was_cut, words


@pytest.mark.parametrize(
    ("text", "size"),
    [("196592 MB", 196592), ("96 GB", 98304), ("512Mib", 512), ("768MiB", 768), ("1.5 GB", 1536),
     ({"value": 2, "unit": "GB"}, 2048), ("0.0 B", 0), ("N/A", None), ("MB", None), ("-1 MB", None),
     ("12 parsecs", None), (True, None), (None, None), ({"value": "N/A", "unit": "MB"}, None)],
)  # fmt: skip
def test_sizes_are_powers_of_two_whatever_they_are_called(text, size):
    assert mib(text) == size


@pytest.mark.parametrize(
    ("text", "place"),
    [("cc:00.0", "0000:cc:00.0"), ("00000000:1E:00.0", "0000:1e:00.0"), ("0001:01:00.0",) * 2,
     ("0000:xx:00.0", ""), ("0000:cc:00.9", ""), ("", ""), (None, ""), (7, "")],
)  # fmt: skip
def test_addresses(text, place):
    assert bdf(text) == place


@pytest.mark.parametrize("value", [True, None, float("nan"), float("inf"), "nan", "N/A", [], {}])
def test_what_is_no_number(value):
    assert real(value) is None
    assert count(value) is None


def test_counts_are_whole_and_not_negative():
    assert (count("7"), count(7.5), count(-1), count({"value": 3, "unit": "x"})) == (
        7,
        None,
        None,
        3,
    )
    assert (words(" x "), words("N/A"), words({"value": 5}), words([1])) == ("x", "", "5", "")


def test_documents_begin_lines_and_prompts_do_not():
    text = '[root@node ~]# tool --json\nWARNING: x\n[{"a": 1}]\n{"b": 2}\n'
    assert documents(text, "it") == [[{"a": 1}], {"b": 2}]
    for junk in ("", "[root@node ~]#", "[[[", '{"a": ', "[" * 100000, "null"):
        with pytest.raises(Unread):
            documents(junk, "it")


def test_what_people_leave_out():
    assert was_cut("a\n...\nb")
    assert was_cut("a\n[output truncated]\n")
    assert not was_cut("python train... | 3\n")
    assert documents('[{"a": 1},\n ...\n {"a": 2}]', "it") == [[{"a": 1}, {"a": 2}]]


def test_tables_in_any_bars():
    for text in ("| a | b |\n|---|---|\n| 1 | 2 |\n", "┃ a ┃ b ┃\n┡━━╇━━┩\n│ 1 │ 2 │\n",
                 "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n"):  # fmt: skip
        assert list(boxed(text)) == [[["a", "b"], ["1", "2"]]]
    assert len(list(boxed("| a |\ntext\n| b |\n"))) == 2


def test_colours_and_line_ends():
    assert clean("\x1b[1;31mred\x1b[0m\r\nnext\x1b]0;title\x07") == "red\nnext"
