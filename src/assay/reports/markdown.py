"""The report in at most 60 lines of Markdown, for a pull request, an issue or a chat."""

import re
from collections.abc import Iterator

from assay.model.outcome import Outcome
from assay.model.report import NodeState, Report
from assay.reports import summary, text
from assay.reports.summary import Failing
from assay.reports.text import Checks, Excerpts, advice, among, count, folded, quotes

MOST_LINES = 60
MOST_FAILING = 11
MOST_REASONS = 7
MOST_UNREAD = 3

# what can begin something in the middle of a line; `_` inside a word begins nothing
_MARKS = re.compile(r"[\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?<=www)\.")
# what would begin a heading, a quote, a list or a rule where a text begins a line
_BLOCK = re.compile(r"^(\s*\d{0,9})((?:#{1,6}|[-+.)])(?=\s|$)|>|(?:-{2,}|={2,})(?=\s*$))")
_REFERENCE = re.compile(r"([@#])(?=\w)")  # @somebody, #123: only their sign is kept apart


def render(report: Report, checks: Checks, excerpts: Excerpts = text.no_excerpts) -> str:
    """Headline, table of failures, then details to unfold."""
    shown = text.legible(report)
    return "\n".join(_lines(shown, checks, excerpts)) + "\n"


def plain(words: str) -> str:
    """*words* as text and nothing else: no markup, no HTML, no link, nobody mentioned."""
    escaped = _MARKS.sub(r"\\\g<0>", words.replace("&", "&amp;").replace("<", "&lt;"))
    escaped = _BLOCK.sub(r"\1\\\2", escaped)
    return _REFERENCE.sub(r"<span>\1</span>", escaped)


def code(words: str, *, cell: bool = False) -> str:
    """*words* as a code span; in a *cell* of a table a bar needs a backslash even there."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if words.startswith("`") or words.endswith("`") or not words.strip() else ""
    span = f"{fence}{pad}{words}{pad}{fence}"
    return span.replace("|", "\\|") if cell else span


def _lines(report: Report, checks: Checks, excerpts: Excerpts) -> Iterator[str]:
    found = summary.headline(report)
    known = summary.counts(report)
    run = report.run
    yield f"### {text.GLYPH[found.outcome]} {text.WORD[found.outcome]} · {plain(run.target)}"
    yield ""
    yield plain(found.sentence)
    yield ""
    told = [f"**{number:,}** {_word(outcome)}" for outcome, number in known.pairs]
    yield " · ".join(told)
    failing = summary.failing(report)
    if failing:
        yield ""
        yield "| severity | check | seen | where |"
        yield "|---|---|---|---|"
        for each in failing[:MOST_FAILING]:
            yield _row(each, report)
        if len(failing) > MOST_FAILING:
            yield f"| | and {count(len(failing) - MOST_FAILING, 'more check')} | | |"
        yield from _advice(failing, checks, excerpts)
    yield from _unknown(report)
    yield from _unread(report)
    yield ""
    areas = summary.by_area(report)
    yield (
        "By area: "
        + ", ".join(
            f"{plain(area)} {n.passed:,}/{n.applicable:,}" for area, n in list(areas.items())[:24]
        )
        + " pass of those that apply."
        if areas
        else "No check was asked."
    )
    yield ""
    about = [f"run {code(run.id)}", plain(run.started), text.duration(run.seconds)]
    about += [f"assay {plain(run.tool_version)}", f"rules {code(run.rules_sha256[:12])}"]
    yield f"<sub>{' · '.join(about)}</sub>"


def _row(failing: Failing, report: Report) -> str:
    first = failing.findings[0]
    seen = f"{plain(text.line(first.subject, 60))}: {plain(text.line(first.because, 160))}"
    if len(failing.findings) > 1:
        seen += f" *(and {len(failing.findings) - 1:,} more)*"
    nodes = list(dict.fromkeys(node for f in failing.findings for node in f.nodes))
    where = among(nodes, len(report.nodes))
    where = f"{where}: {code(folded(nodes, 60), cell=True)}" if where else ""
    check = code(failing.judgement.check, cell=True)
    return f"| {failing.severity} | {check} | {seen} | {where} |"


def _advice(failing: list[Failing], checks: Checks, excerpts: Excerpts) -> Iterator[str]:
    yield ""
    yield "<details><summary>Why these matter and how to fix them</summary>"
    yield ""
    for each in failing[:MOST_FAILING]:
        known = advice(each.judgement.check, checks)
        said = f"- {code(each.judgement.check)} {plain(known.why)}"
        said += f" **Fix:** {plain(known.fix)}" if known.fix else ""
        said += f" **See it:** {code(known.reproduce)}" if known.reproduce else ""
        said += "".join(f" <{url}>" for url in known.see[:2])
        for quote in quotes(each.findings[0].evidence, excerpts, 1):
            said += f" **Evidence:** {code(quote.source)}, {code(quote.command)}"
        yield said
    yield ""
    yield "</details>"


def _unknown(report: Report) -> Iterator[str]:
    found = summary.reasons(report)
    if not found:
        return
    hidden = len({check for reason in found for check in reason.checks})
    yield ""
    yield f"<details><summary>{count(hidden, 'check')} could not wholly be told</summary>"
    yield ""
    for reason in found[:MOST_REASONS]:
        where = among(reason.nodes, len(report.nodes))
        names = ", ".join(code(check) for check in reason.checks[:4])
        left = len(reason.checks) - 4
        more = f" and {left} more" if left > 0 else ""
        on = f" (on {where})" if where else ""
        yield f"- {plain(text.line(reason.because, 200))}{on}: {names}{more}"
    if len(found) > MOST_REASONS:
        yield f"- and {count(len(found) - MOST_REASONS, 'more reason')}"
    yield ""
    yield "</details>"


def _unread(report: Report) -> Iterator[str]:
    found = summary.unread(report)
    if found:
        yield ""
    for group in found[:MOST_UNREAD]:
        how = "not read" if group.state is NodeState.UNREAD else "read in part"
        names = f"{count(len(group.nodes), 'node')} {how}: {code(folded(group.nodes, 100))}"
        yield f"- {names}: {plain(text.line(group.reason, 200))}"
    if len(found) > MOST_UNREAD:
        yield f"- and nodes with {count(len(found) - MOST_UNREAD, 'other reason')}"
    if report.errors:
        yield ""
        failed = count(len(report.errors), "time")
        yield f"Assay itself failed {failed}: what that touched is counted as unknown."


def _word(outcome: Outcome) -> str:
    return f"{text.GLYPH[outcome]} {text.WORD[outcome].lower()}"
