import re
from html.parser import HTMLParser

import pytest
from sample import CASES, CHECKS, EVERY, excerpt, fleet, large, one_machine

from assay.reports import html, text


def render(made):
    return html.render(made, CHECKS, excerpt)


class Outline(HTMLParser):
    """Tags, attributes, ids and text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data):
        self.text += data

    def values(self, name):
        return [value for _, found, value in self.attributes if found == name]


def body(page):
    """The page without its style and script, which have their own files."""
    page = re.sub(r"<style>.*?</style>", "<style></style>", page, flags=re.DOTALL)
    page = re.sub(r"<script>.*?</script>", "<script></script>", page, flags=re.DOTALL)
    return re.sub(r"sha256-[A-Za-z0-9+/]{43}=", "sha256-", page)


@pytest.mark.parametrize("case", CASES)
def test_the_page(case, stored):
    assert body(render(CASES[case]())) == stored("html")


@pytest.mark.parametrize("case", EVERY)
def test_one_file_that_fetches_nothing(case):
    outline = Outline(render(EVERY[case]()))
    assert outline.tags.count("script") == outline.tags.count("style") == 1
    assert not {"img", "iframe", "object", "embed", "base", "video"} & set(outline.tags)
    assert not outline.values("src")
    assert not outline.values("style")
    for tag, name, value in outline.attributes:
        assert not name.startswith("on")
        if name == "href":
            assert value.startswith("data:image/svg" if tag == "link" else ("#", "https://"))


@pytest.mark.parametrize("case", EVERY)
def test_ids_are_unique_and_references_hold(case):
    outline = Outline(render(EVERY[case]()))
    ids = outline.values("id")
    assert len(set(ids)) == len(ids)
    wanted = outline.values("aria-labelledby") + outline.values("for")
    wanted += [value[1:] for value in outline.values("href") if value.startswith("#")]
    assert set(wanted) <= set(ids)


def test_the_policy_allows_this_style_and_this_script_only():
    style, script = html.source("page.css"), html.source("filter.js")
    page = render(fleet())
    policy = html.policy(style, script)
    assert "unsafe" not in policy
    assert policy.replace("'", "&#39;") in page
    assert f"<style>{style}</style>" in page
    assert f"<script>{script}</script>" in page
    assert len(script) < 2500


def test_a_finding_shows_all_that_one_needs():
    said = Outline(render(fleet())).text
    for words in (
        "accelerator.xid-fatal",
        "Is every GPU free of fatal Xid errors since boot?",
        "Xid 79 at 86102 s: the GPU has fallen off the bus",
        "1 of 32 nodes",
        "gpu-[001-031]",
        CHECKS["accelerator.xid-fatal"].why,
        CHECKS["accelerator.xid-fatal"].fix,
        "docs.nvidia.com/deploy/xid-errors/index.html",
        "dmesg | grep -i xid",
        "NVRM: Xid (PCI:0000:9b:00): 79",
        "assay bundle show 7797a20f0fed",
        "the scheduler says DOWN*",
        text.READ_ONLY,
    ):
        assert words in said


def test_a_picture_has_words_behind_it():
    outline = Outline(render(fleet()))
    assert "Nodes: 31 with failures, 1 not wholly known, 0 that pass" in outline.values(
        "aria-label"
    )
    assert "gpu-007: 3 critical, 1 low" in outline.text


def test_a_large_cluster_is_one_page():
    page = render(large())
    assert len(page) < 250_000
    assert "One tile for 25 nodes" in page
    assert "pod[00-24]-gpu[000-499]" in page


def test_evidence_is_shown_once_in_a_card():
    assert one_machine().findings()[0].evidence
    page = render(one_machine())
    assert page.count("assay bundle show b71409b558af") == 1


def test_too_much_evidence_is_left_to_the_bundle():
    page = html.render(large(), CHECKS, lambda ref: "word " * 1_000_000)
    assert len(page) < 3_000_000


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("`dmesg` is <absent>", "<code>dmesg</code> is &lt;absent&gt;"),
        ("one ` only", "one ` only"),
        ("`<b>`", "<code>&lt;b&gt;</code>"),
    ],
)
def test_prose(words, shown):
    assert html.prose(words) == shown


@pytest.mark.parametrize(
    ("started", "shown"),
    [
        ("2026-11-28T09:14:03+00:00", "28 November 2026, 09:14 UTC"),
        ("2026-11-28T10:14:03+01:00", "28 November 2026, 09:14 UTC"),
        ("yesterday", "yesterday"),
    ],
)
def test_times(started, shown):
    assert html._moment(started) == shown
