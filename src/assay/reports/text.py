"""Words and bounds that every renderer shares.

Whatever a node said may hold control characters, ANSI escapes, bidirectional overrides, lone
surrogates or ten megabytes. :func:`legible` makes a report harmless once, at the door: each
renderer then escapes only for its own syntax.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from assay.kit.check import Check
from assay.model.evidence import Ref, digest
from assay.model.finding import Finding, Judgement
from assay.model.outcome import Outcome, Severity, worst
from assay.model.report import ErrorRecord, NodeRow, Report
from assay.reports.nodeset import parts

Checks = Mapping[str, Check]
Excerpts = Callable[[Ref], str | None]  # what the evidence behind a verdict says, if it is at hand

GLYPH = {
    Outcome.FAIL: "✗",
    Outcome.UNKNOWN: "?",
    Outcome.PASS: "✓",
    Outcome.NOT_APPLICABLE: "–",  # noqa: RUF001 - an en dash: nothing to say
}
ASCII_GLYPH = {
    Outcome.FAIL: "x",
    Outcome.UNKNOWN: "?",
    Outcome.PASS: "+",
    Outcome.NOT_APPLICABLE: "-",
}
WORD = {
    Outcome.FAIL: "FAIL",
    Outcome.UNKNOWN: "UNKNOWN",
    Outcome.PASS: "PASS",
    Outcome.NOT_APPLICABLE: "N/A",
}
WORST_FIRST = (Outcome.FAIL, Outcome.UNKNOWN, Outcome.PASS, Outcome.NOT_APPLICABLE)
SEVERITIES = tuple(reversed(Severity))  # critical first

READ_ONLY = (
    "An audit only reads. It put no load on the machines, so it says nothing about speed,"
    " about stability under load, or about how the cluster recovers from faults."
)
RETIRED = "This check is no longer in the catalogue: its advice went with it."
UNNAMED = "(unnamed)"

NAME, SENTENCE, TRACEBACK = 120, 500, 4000  # characters kept of what a report quotes
EXCERPT_LINES, EXCERPT_COLUMNS = 16, 160

_SILENCE = digest(b"")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LINK = re.compile(r"https://[!#-;=?-_a-z~]+")  # no spaces, quotes, angle brackets or backticks
_ID = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")


def no_excerpts(_: Ref) -> str | None:
    """The evidence is not at hand."""
    return None


def line(value: str, most: int = SENTENCE) -> str:
    """*value* on one line of at most *most* characters, with nothing hidden in it."""
    if len(value) <= most and value.isprintable():
        return value.strip()
    head = value[:most].replace("\r\n", "\n")
    shown = (head if head.isprintable() else "".join(map(_visible, head))).strip()
    if len(value) > most or len(shown) > most:
        shown = shown[: most - 1].rstrip() + "…"
    return shown


def block(value: str, lines: int = EXCERPT_LINES, columns: int = EXCERPT_COLUMNS) -> str:
    """The first lines of *value*, each cut to *columns*, and how much was left out."""
    head = value[: lines * columns * 8]
    rows = head.replace("\r\n", "\n").rstrip("\n").split("\n")
    shown = [_row(row, columns) for row in rows[:lines]]
    if len(rows) > lines or len(head) < len(value):
        shown.append("… and more" if len(head) < len(value) else f"… {len(rows) - lines} more")
    return "\n".join(shown)


def _row(row: str, columns: int) -> str:
    # only the part that can be shown is looked at: a row may be megabytes long
    head = row[: columns + 1].expandtabs(8)
    shown = head if head.isprintable() else "".join(map(_visible, head))
    return shown if len(shown) <= columns else shown[: columns - 1] + "…"


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if char.isspace() and char not in "\x1c\x1d\x1e\x1f\x85\u2028\u2029":
        return " "
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@lru_cache(maxsize=65536)
def name(value: str) -> str:
    """The name of a node, made legible."""
    return line(value, NAME) or UNNAMED


def legible(report: Report) -> Report:
    """*report* with every text bounded and nothing hidden in it.

    Evidence refs stay as they are, so that they can be looked up: :func:`quotes` shows them.
    """
    run = report.run
    run = dataclasses.replace(
        run,
        id=line(run.id, NAME),
        started=line(run.started, NAME),
        target=line(run.target, NAME) or UNNAMED,
        tool_version=line(run.tool_version, NAME),
        rules_sha256=line(run.rules_sha256, NAME),
        advisories_sha256=line(run.advisories_sha256, NAME),
    )
    return dataclasses.replace(
        report,
        run=run,
        nodes=tuple(_node(row) for row in report.nodes),
        judgements=tuple(_judgement(judgement) for judgement in report.judgements),
        errors=tuple(_error(error) for error in report.errors),
        schema=line(report.schema, NAME),
    )


def _node(row: NodeRow) -> NodeRow:
    return NodeRow(name(row.name), row.state, line(row.reason), line(row.scheduler, NAME))


def _judgement(judgement: Judgement) -> Judgement:
    # a stored report may have been edited: findings belong to their judgement, which is no better
    check = line(judgement.check, NAME)
    outcome = worst([judgement.outcome, *(finding.outcome for finding in judgement.findings)])
    return dataclasses.replace(
        judgement,
        outcome=outcome,
        check=check,
        asks=line(judgement.asks),
        example=line(judgement.example),
        findings=tuple(_finding(finding, check) for finding in judgement.findings),
    )


def _finding(finding: Finding, check: str) -> Finding:
    return dataclasses.replace(
        finding,
        check=check,
        subject=line(finding.subject, NAME),
        because=line(finding.because),
        nodes=tuple(dict.fromkeys(map(name, finding.nodes))),
    )


def _error(error: ErrorRecord) -> ErrorRecord:
    trace = block(error.traceback[-TRACEBACK:], lines=60, columns=200)
    return ErrorRecord(line(error.where), line(error.message), trace, line(error.node, NAME))


@dataclasses.dataclass(frozen=True, slots=True)
class Quote:
    """One piece of evidence, ready to be shown."""

    node: str
    source: str
    sha256: str
    excerpt: str

    @property
    def short(self) -> str:
        """The first 12 digits: enough for ``assay bundle show``."""
        return self.sha256[:12]

    @property
    def command(self) -> str:
        """How to see the whole answer."""
        return f"assay bundle show {self.short}"


def quotes(refs: Sequence[Ref], excerpts: Excerpts, most: int = 3) -> list[Quote]:
    """The first *most* distinct answers among *refs*, legible and bounded; silence comes last.

    A digest that is none is left out: it would become part of a command to copy.
    """
    found: dict[tuple[str, str], Ref] = {}
    for ref in sorted(refs, key=lambda ref: ref.sha256 == _SILENCE):
        if _DIGEST.fullmatch(ref.sha256):
            # many sources may say nothing, and then all have the digest of nothing
            found.setdefault((ref.sha256, ref.source if ref.sha256 == _SILENCE else ""), ref)
    return [_quote(ref, excerpts) for ref in list(found.values())[:most]]


def _quote(ref: Ref, excerpts: Excerpts) -> Quote:
    source = line(ref.source, 200) + (" (no output)" if ref.sha256 == _SILENCE else "")
    return Quote(name(ref.node), source, ref.sha256, block(excerpts(ref) or ""))


def command_for(check: str) -> str:
    """How to read more about *check*; nothing where its id is no id."""
    return f"assay explain {check}" if _ID.fullmatch(check) else ""


@dataclasses.dataclass(frozen=True, slots=True)
class Advice:
    """What the catalogue says about a check; a stored report may name one that is gone."""

    why: str = ""
    fix: str = ""
    see: tuple[str, ...] = ()
    reproduce: str = ""


def advice(check: str, checks: Checks) -> Advice:
    """The advice of the check called *check*; only links to https pages are links."""
    found = checks.get(check)
    if found is None:
        return Advice(why=RETIRED)
    see = tuple(url for url in found.see if _LINK.fullmatch(url))
    return Advice(line(found.why, 2000), line(found.fix, 2000), see, line(found.reproduce, 1000))


def count(number: int, noun: str) -> str:
    """``1 node``, ``12,500 nodes``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def among(nodes: Sequence[str], of: int) -> str:
    """``31 of 32 nodes``; nothing where there is only one to choose from."""
    return "" if of <= 1 else f"{len(nodes):,} of {count(of, 'node')}"


def folded(nodes: Iterable[str], most: int = 160, noun: str = "node") -> str:
    """*nodes* folded into at most about *most* characters; what is left out is counted."""
    names = list(nodes)
    whole = parts(names)
    shown: list[str] = []
    room = most
    for part in whole:
        room -= len(part) + 1
        if shown and room < 0:
            break
        shown.append(part if len(part) <= most else part[: most - 1] + "…")
    text = ",".join(shown)
    if len(shown) < len(whole):
        text += f", … ({count(len(names), noun)})"
    return text


def duration(seconds: float) -> str:
    """Seconds as people say them: ``0.8 s``, ``41 s``, ``12 min 4 s``, ``8 h 40 min``."""
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f} s"
    whole = round(seconds)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minute} min"
    return f"{minutes} min {second} s" if minutes else f"{second} s"
