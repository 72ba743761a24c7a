"""Whatever a node or an edited report says: every renderer shows it and none obeys it."""

import io
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console
from sample import CHECKS, all_green, fleet, hostile
from strategies import catalogues, excerpts, reports

from assay.reports import html, junit, markdown, sarif
from assay.reports.explain import Explanation
from assay.reports.terminal import Screen

often = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # fmt: skip
SCHEMA = json.loads(Path(__file__).with_name("sarif_schema.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def assert_clean(text):
    """Nothing hidden, nothing that moves a cursor, and it can be written as UTF-8."""
    odd = {char for char in text if not char.isprintable() and char != "\n"}
    assert not odd
    text.encode()


@often
@given(reports, catalogues(), excerpts, st.integers(20, 120), st.booleans())
def test_terminal(report, checks, excerpt, width, verbose):
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, force_terminal=True, color_system="truecolor", _environ={}
    )
    console.print(Screen(report, checks, excerpt, verbose=verbose))
    said = COLOUR.sub("", stream.getvalue())
    assert_clean(said)
    assert max(map(cell_len, said.split("\n"))) <= width


@often
@given(reports, catalogues())
def test_explain(report, checks):
    for check in checks.values():
        stream = io.StringIO()
        Console(file=stream, width=60, _environ={}).print(Explanation(check))
        assert_clean(stream.getvalue())


class Tags(HTMLParser):
    """The tags of a page in order, and whether they close as they should."""

    VOID = frozenset({"meta", "link", "input", "br"})
    DRAWN = frozenset({"path", "rect"})  # closed in themselves

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.attributes = [], [], []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in self.DRAWN
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


# every tag that our own templates write
OURS = set(Tags(html.render(fleet(), CHECKS)).tags) | set(
    Tags(html.render(hostile(), CHECKS)).tags
) | set(Tags(html.render(all_green(), CHECKS)).tags)  # fmt: skip


@often
@given(reports, catalogues(), excerpts)
def test_html(report, checks, excerpt):
    page = html.render(report, checks, excerpt)
    assert_clean(page)
    found = Tags(page)
    assert set(found.tags) <= OURS
    assert found.tags.count("script") == found.tags.count("style") == 1
    for name, value in found.attributes:
        assert not name.startswith("on")
        if name == "href":
            assert re.match(r"#[a-z0-9.-]+$|https://|data:image/svg", value)


@often
@given(reports, catalogues(), excerpts)
def test_markdown(report, checks, excerpt):
    said = markdown.render(report, checks, excerpt)
    assert_clean(said)
    assert said.count("\n") <= markdown.MOST_LINES
    tokens = MarkdownIt("commonmark").enable("table").parse(said)
    ours = re.compile(r"</?(details|summary|sub|span)>")
    ours_only = re.compile(r"(</?(details|summary)>|[A-Za-z0-9 ,]|\n)*")
    for token in tokens:
        assert token.type not in ("fence", "code_block")
        if token.type == "html_block":
            assert ours_only.fullmatch(token.content)
        for child in token.children or ():
            assert child.type != "image"
            if child.type == "html_inline":
                assert ours.fullmatch(child.content)
            if child.type == "link_open":
                assert child.attrs["href"].startswith("https://")
    headings = [token for token in tokens if token.type == "heading_open"]
    assert len(headings) == 1


@often
@given(reports, catalogues(), excerpts, st.booleans())
def test_sarif(report, checks, excerpt, everything):
    said = sarif.render(report, checks, excerpt, everything=everything)
    assert_clean(said)
    VALIDATOR.validate(json.loads(said))


@often
@given(reports, catalogues(), excerpts)
def test_junit(report, checks, excerpt):
    said = junit.render(report, checks, excerpt)
    assert_clean(said)
    ours = {"testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"}
    assert {element.tag for element in ET.fromstring(said).iter()} <= ours


@pytest.mark.parametrize("render", [html.render, markdown.render, sarif.render, junit.render])
def test_ten_megabytes_of_it_stay_small(render):
    said = render(hostile(), CHECKS, lambda ref: "\x1b[31m" * 2_000_000)
    assert len(said) < 80_000
    assert_clean(said)
