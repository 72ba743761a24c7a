import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample import CHECKS, HOSTILE, hostile

from assay.kit.check import Check
from assay.model.evidence import Ref, digest
from assay.model.outcome import Outcome, Severity
from assay.reports import text

anything = st.text(st.characters(exclude_categories=()))


@given(anything, st.integers(1, 80))
def test_a_line_is_printable_and_bounded(value, most):
    shown = text.line(value, most)
    assert shown.isprintable()
    assert len(shown) <= most


@given(anything, st.integers(1, 5), st.integers(2, 40))
def test_a_block_is_printable_and_bounded(value, lines, columns):
    rows = text.block(value, lines, columns).split("\n")
    assert all(row.isprintable() for row in rows)
    assert len(rows) <= lines + 1
    assert all(len(row) <= max(columns, 15) for row in rows)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("width x8", "width x8"),
        ("  a\tb\r\nc ", "a b c"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\u202eevil", r"\u202eevil"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("a\u00a0b", "a b"),
        ("漢字 é", "漢字 é"),
        ("x" * 600, "x" * 499 + "…"),
    ],
)
def test_nothing_is_hidden_and_nothing_is_lost(value, shown):
    assert text.line(value) == shown


def test_ten_megabytes_are_cut_before_they_are_looked_at():
    huge = "\x00" * 10_000_000
    assert len(text.line(huge)) == 500
    assert len(text.block(huge)) < 5000


def test_an_excerpt_says_how_much_it_left_out():
    assert text.block("\n".join("abcde"), lines=2) == "a\nb\n… 3 more"
    assert text.block("a\tb") == "a       b"


def test_a_judgement_is_never_better_than_its_findings():
    judged = text.legible(hostile()).judgements[0]
    assert judged.outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-1, "0.0 s"), (0.81, "0.8 s"), (41.2, "41 s"), (724, "12 min 4 s"), (31200, "8 h 40 min")],
)
def test_durations(seconds, said):
    assert text.duration(seconds) == said


def test_what_is_left_out_of_a_node_list_is_counted():
    names = [f"n{number}x" for number in range(0, 4000, 3)]
    odd = [f"{'abcdefghij'[at % 10]}{at}-{at * 7}" for at in range(400)]
    assert text.folded(names[:3]) == "n[0,3,6]x"
    assert text.folded(odd, 60).endswith("(400 nodes)")
    assert len(text.folded(odd, 60)) < 90
    assert text.among(names[:31], 32) == "31 of 32 nodes"
    assert text.among(["only"], 1) == ""


def test_evidence_without_a_real_digest_is_not_offered_as_a_command():
    refs = [Ref("n", "dmesg", "$(reboot)"), Ref("n", "dmesg", "ab" * 32), Ref("m", "x", "ab" * 32)]
    (quote,) = text.quotes(refs, lambda ref: HOSTILE)
    assert quote.command == "assay bundle show abababababab"
    assert quote.excerpt.isprintable()
    assert text.command_for("a.b; rm -rf ~") == ""
    assert text.command_for("system.perf-events") == "assay explain system.perf-events"


def test_an_answer_comes_before_silence_and_silence_is_told():
    silent = [Ref("n", source, digest(b"")) for source in ("amd-smi", "dcgmi")]
    found = text.quotes([*silent, Ref("n", "dmesg", "ab" * 32)], text.no_excerpts)
    assert [quote.source for quote in found] == [
        "dmesg",
        "amd-smi (no output)",
        "dcgmi (no output)",
    ]


def test_only_https_links_are_links():
    links = (
        "https://ok.example/a?b=c#d",
        "javascript:x",
        "http://x",
        'https://x"onclick=y',
        "https://x <b>",
    )
    odd = Check("a.b", "?", Severity.LOW, "w", "f", links, "r", (), {}, lambda: iter(()))
    assert text.advice("a.b", {"a.b": odd}).see == ("https://ok.example/a?b=c#d",)


def test_a_check_that_is_gone_says_so():
    assert text.advice("gone.check", CHECKS).why == text.RETIRED
