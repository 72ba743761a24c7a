from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from sample import CASES, CHECKS, EVERY, FAIL, UNKNOWN, excerpt, finding, report

from assay.model.outcome import Severity
from assay.model.report import ErrorRecord, NodeRow, NodeState
from assay.reports import markdown


@pytest.mark.parametrize("case", CASES)
def test_the_document(case, stored):
    assert markdown.render(CASES[case](), CHECKS, excerpt) == stored("md")


@pytest.mark.parametrize("case", EVERY)
def test_at_most_sixty_lines(case):
    assert markdown.render(EVERY[case](), CHECKS, excerpt).count("\n") <= markdown.MOST_LINES


def test_at_most_sixty_lines_when_everything_is_wrong():
    checks = {
        f"area{at}.check-{at}": replace(CHECKS["system.clock"], id=f"area{at}.check-{at}")
        for at in range(90)
    }
    rows = [NodeRow(f"n{at}", NodeState.UNREAD, f"reason {at}") for at in range(30)]
    base = report("t", ["a", "b"], rows=rows, errors=[ErrorRecord("probe x", "y", "z")])
    judgements = []
    for at, id in enumerate(checks):
        failed = replace(finding(FAIL, "system.clock", "host", "bad", ["a"]), check=id)
        dark = replace(finding(UNKNOWN, "system.clock", "host", f"why {at}", ["b"]), check=id)
        judgements.append(
            replace(base.judgements[0], check=id, severity=Severity.HIGH, findings=(failed, dark))
        )
    said = markdown.render(replace(base, judgements=tuple(judgements)), checks)
    assert said.count("\n") <= markdown.MOST_LINES
    assert "and 79 more checks" in said


PARSER = MarkdownIt("commonmark").enable("table")


@pytest.mark.parametrize(
    "words",
    [
        "*a* _b_ __c__ `d` [e](f) ![g](h) <b>i</b> &lt; &x; \\* ~~k~~ a|b $x$",
        "mlx5_4/1 at 580.95.05 (2 of 3): 40,211 + 1 - 1 = 40,211!",
        "http://x.example/ <http://y> www.z.example",
    ],
)
def test_plain_text_comes_out_as_it_went_in(words):
    (_, inline, _) = PARSER.parse("| " + markdown.plain(words))[:3]
    assert {child.type for child in inline.children} <= {"text", "text_special"}
    assert "".join(child.content for child in inline.children) == "| " + words


def test_readable_text_stays_readable():
    words = "mlx5_4/1: 2X NDR (200 Gb/s), the port has 4X; driver 580.95.05 - 1 of 8"
    assert markdown.plain(words) == words


def test_nobody_is_mentioned_and_no_issue_is_linked():
    assert "@all" not in markdown.plain("@all and a@b.example")
    assert "#12" not in markdown.plain("see #12")


@pytest.mark.parametrize("words", ["a", "`", "``a`b", "a`", "a|b", " ", "$(x)"])
def test_a_code_span_holds_anything(words):
    (_, inline, _) = PARSER.parse("x " + markdown.code(words))[:3]
    span = inline.children[-1]
    assert span.type == "code_inline"
    assert span.content.strip() == words.strip()
