"""Reports as a hostile node, or somebody who edits a stored report, would have them."""

from hypothesis import strategies as st
from sample import CHECKS, HOSTILE

from assay.kit.check import Check
from assay.model.evidence import Ref
from assay.model.finding import Finding, Judgement
from assay.model.outcome import Outcome, Severity
from assay.model.report import ErrorRecord, NodeRow, NodeState, Report, Run

NASTY = [
    HOSTILE, "", " ", "`", "``x`", "|", "\\", "]]>", "<!--", "-->", "<b",
    "</style><script>x</script>",
    "</details>", "[x](javascript:y)", "![x](y)", "\x1b]8;;http://x\x07y\x1b]8;;\x07", "\x1b[2J",
    "[link=http://x]y[/link]", "a\nb", "# x", "\n\n# x", "- x", "1. x", "~~~", "```", "<http://x>",
    "@all #1", "http://x.example www.example", "{0} {{x}} {% raw %}", "&lt;b&gt;", "\u202e\u2066",
    "\ud800", "\udcff", "\ufffe\uffff", "\x00", "\x85\u2028\u2029", "x" * 5000, "\u0301" * 50,
    "漢字" * 90,
    "gpu-[1-3]", "a,b", "--help", "$(reboot)", "; rm -rf ~", "host", "gpu 3", "n1", "n2", "n10",
]  # fmt: skip

words = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=()), max_size=40),
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=3).map("".join),
)
ids = st.one_of(st.sampled_from(sorted(CHECKS)), words)
digests = st.one_of(st.just("0" * 64), st.just("ab" * 32), words)
refs = st.builds(Ref, words, words, digests)
outcomes = st.sampled_from(list(Outcome))
severities = st.sampled_from(list(Severity))
numbers = st.integers(0, 10**9)
links = st.one_of(words, words.map("https://x.example/".__add__))

findings = st.builds(
    Finding, ids, outcomes, severities, words, words,
    st.lists(words, max_size=4).map(tuple), st.lists(refs, max_size=3).map(tuple),
)  # fmt: skip


@st.composite
def judgements(draw):
    check = draw(ids)
    found = draw(st.lists(findings, max_size=3))
    return Judgement(
        check, draw(words), draw(severities), draw(outcomes), draw(numbers), draw(numbers),
        draw(numbers), draw(numbers), draw(numbers), draw(words),
        tuple(draw(st.lists(refs, max_size=2))),
        tuple(
            Finding(check, f.outcome, f.severity, f.subject, f.because, f.nodes, f.evidence)
            for f in found
        ),
    )  # fmt: skip


runs = st.builds(
    Run, words, st.one_of(words, st.just("2026-11-28T09:14:03+00:00")),
    st.floats(0, 1e7), words, words, words, words, st.booleans(), st.booleans(),
)  # fmt: skip
reports = st.builds(
    Report,
    runs,
    st.lists(
        st.builds(NodeRow, words, st.sampled_from(list(NodeState)), words, words), max_size=5
    ).map(tuple),
    st.lists(judgements(), max_size=4).map(tuple),
    st.lists(st.builds(ErrorRecord, words, words, words, words), max_size=2).map(tuple),
    words,
)


class Catalogue(dict):
    """Checks by id, with a name short enough for a failing example."""

    def __repr__(self):
        return f"Catalogue({ {id: self[id] for id in self.keys() - CHECKS.keys()} })"


@st.composite
def catalogues(draw):
    """A plugin's checks may say anything, too."""
    odd = {
        id: Check(
            id, draw(words), draw(severities), draw(words), draw(words),
            tuple(draw(st.lists(links, max_size=2))), draw(words), (), {}, lambda: iter(()),
        )
        for id in draw(st.lists(ids, max_size=3))
    }  # fmt: skip
    return Catalogue({**CHECKS, **odd})


excerpts = st.one_of(st.none(), words).map(lambda said: lambda ref: said)
