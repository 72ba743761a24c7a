"""The report as one HTML file: nothing is fetched, nothing needs a script to be read.

The look (``templates/page.css``) and its pieces (``templates/components.html.j2``) are made to be
shared by every page of Assay. Styles and the script are allowed by their hashes and by nothing
else; whatever a node said is escaped by Jinja, after :mod:`assay.reports.text` made it legible.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from assay.model.evidence import Ref
from assay.model.finding import Finding, Judgement
from assay.model.outcome import Outcome, Severity
from assay.model.report import NodeState, Report
from assay.reports import drawings, summary, text
from assay.reports.summary import Failing
from assay.reports.text import Advice, Checks, Excerpts, Quote, advice, quotes

MOST_FINDINGS = 20  # of one check; the JSON report has them all
MOST_CARDS = 250  # failing checks shown with all their advice
MOST_REASONS = 100
MOST_NODES = 50  # in the table of the worst
MOST_ERRORS = 20
MOST_EXCERPTS = 2_000_000  # characters of evidence in one file


@dataclass(frozen=True, slots=True)
class Seen:
    """One finding, ready to be shown; ``again`` is evidence that the same card shows above."""

    finding: Finding
    among: str
    nodes: str
    quotes: Sequence[Quote]
    again: Sequence[Quote]


@dataclass(frozen=True, slots=True)
class Card:
    """One failing check, ready to be shown."""

    anchor: str
    failing: Failing
    advice: Advice
    seen: Sequence[Seen]
    left_out: int
    explain: str


@dataclass(frozen=True, slots=True)
class Passing:
    """The passing checks of one area."""

    area: str
    judgements: Sequence[Judgement]


def render(report: Report, checks: Checks, excerpts: Excerpts = text.no_excerpts) -> str:
    """The whole page. Pure: the same report gives the same bytes."""
    shown = text.legible(report)
    style, script = source("page.css"), source("filter.js")
    areas = summary.by_area(shown)
    nodes = summary.nodes(shown)
    sick = [node for node in summary.worst_first(nodes) if node.outcome is not Outcome.PASS]
    failing = summary.failing(shown)
    reasons = summary.reasons(shown)
    limited = _budget(excerpts)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            report=shown,
            headline=summary.headline(shown),
            counts=summary.counts(shown),
            areas=areas,
            widest=max((found.total for found in areas.values()), default=1),
            nodes=nodes,
            node_counts=summary.Counts.of(node.outcome for node in nodes),
            read=sum(node.row.state is NodeState.READ for node in nodes),
            strip=drawings.strip(nodes) if len(nodes) > 1 else None,
            sick=sick[:MOST_NODES],
            sick_left_out=max(0, len(sick) - MOST_NODES),
            cards=_cards(failing[:MOST_CARDS], len(nodes), checks, limited),
            cards_left_out=max(0, len(failing) - MOST_CARDS),
            reasons=[(why, quotes(why.evidence, limited)) for why in reasons[:MOST_REASONS]],
            reasons_left_out=max(0, len(reasons) - MOST_REASONS),
            passing=_passing(shown, areas),
            absent=[j for j in shown.judgements if j.outcome is Outcome.NOT_APPLICABLE],
            unread=summary.unread(shown),
            errors=shown.errors[:MOST_ERRORS],
            errors_left_out=max(0, len(shown.errors) - MOST_ERRORS),
            started=_moment(shown.run.started),
            icon="data:image/svg+xml," + quote(str(source("mark.svg")).strip()),
            style=style,
            script=script,
            policy=policy(style, script),
        )
    )


@cache
def environment() -> Environment:
    """The templates of every page, with the words and pictures that they share."""
    made = Environment(
        loader=PackageLoader("assay.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals |= {
        "GLYPH": text.GLYPH,
        "WORD": text.WORD,
        "WORST_FIRST": text.WORST_FIRST,
        "READ_ONLY": text.READ_ONLY,
        "Outcome": Outcome,
        "Severity": Severity,
        "NodeState": NodeState,
        "TILE": drawings.TILE,
        "bar": drawings.bar,
        "count": text.count,
        "duration": text.duration,
        "folded": text.folded,
        "among": text.among,
    }
    made.filters["prose"] = prose
    return made


def prose(words: str) -> Markup:
    """Running text, escaped, with what stands between backticks as code."""
    pieces = words.split("`")
    if len(pieces) % 2 == 0:
        return escape(words)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if at % 2 else escape(piece)
        for at, piece in enumerate(pieces)
    )


@cache
def source(name: str) -> Markup:
    """A style or a script of ours, to be put into a page as it is."""
    made = environment()
    assert made.loader is not None
    # our own file: nothing in it comes from a node
    return Markup(made.loader.get_source(made, name)[0])  # noqa: S704


def policy(style: str, script: str) -> str:
    """A Content-Security-Policy under which only this style and this script count."""
    allowed = [
        "default-src 'none'",
        f"style-src '{_hash(style)}'",
        f"script-src '{_hash(script)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(allowed)


def _hash(code: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


def _cards(
    failing: Sequence[Failing], nodes: int, checks: Checks, excerpts: Excerpts
) -> list[Card]:
    used: Counter[str] = Counter()
    cards = []
    for found in failing:
        check = found.judgement.check
        anchor = "check-" + re.sub(r"[^a-z0-9.-]+", "-", check.lower())
        used[anchor] += 1
        cards.append(
            Card(
                anchor if used[anchor] == 1 else f"{anchor}-{used[anchor]}",
                found,
                advice(check, checks),
                _seen(found.findings[:MOST_FINDINGS], nodes, excerpts),
                max(0, len(found.findings) - MOST_FINDINGS),
                text.command_for(check),
            )
        )
    return cards


def _seen(findings: Sequence[Finding], nodes: int, excerpts: Excerpts) -> list[Seen]:
    shown: set[str] = set()
    seen = []
    for finding in findings:
        found = quotes(finding.evidence, excerpts)
        again = [quoted for quoted in found if quoted.sha256 in shown]
        fresh = [quoted for quoted in found if quoted.sha256 not in shown]
        shown.update(quoted.sha256 for quoted in fresh)
        among = text.among(finding.nodes, nodes)
        seen.append(Seen(finding, among, text.folded(finding.nodes, 400), fresh, again))
    return seen


def _budget(excerpts: Excerpts) -> Excerpts:
    """Excerpts until there are so many that a browser would suffer."""
    left = MOST_EXCERPTS

    def limited(ref: Ref) -> str | None:
        nonlocal left
        said = excerpts(ref) if left > 0 else None
        left -= min(len(said or ""), text.EXCERPT_LINES * text.EXCERPT_COLUMNS)
        return said

    return limited


def _passing(report: Report, areas: dict[str, summary.Counts]) -> list[Passing]:
    passed = [j for j in report.judgements if j.outcome is Outcome.PASS]
    found = [Passing(a, [j for j in passed if summary.area(j.check) == a]) for a in areas]
    return [group for group in found if group.judgements]


def _moment(started: str) -> str:
    """``28 November 2026, 09:14 UTC``, or the words themselves if they are no time."""
    try:
        when = datetime.fromisoformat(started).astimezone(UTC)
    except (ValueError, OverflowError):
        return started
    return f"{when.day} {when:%B %Y, %H:%M} UTC"
