"""The report as JUnit XML, for Jenkins, GitLab and whoever counts test cases.

A suite is an area, a case is a check; where nodes differ, every node that fails or is not known
is a case of its own. Unknown is ``skipped`` with its reason, our own bugs are ``error``.
"""

import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.model.finding import Finding, Judgement
from assay.model.outcome import Outcome, worst
from assay.model.report import Report
from assay.reports import summary, text
from assay.reports.text import Checks, Excerpts, advice, count, folded, quotes

MOST_CASES = 64  # nodes with the same findings that become cases of their own; more share one
MOST_LINES = 50  # findings told in one case


@dataclass(frozen=True, slots=True)
class Case:
    """One test case: what it is called, how it came out, and the words to it."""

    name: str
    outcome: Outcome
    findings: Sequence[Finding] = ()
    said: str = ""


def render(report: Report, checks: Checks, excerpts: Excerpts = text.no_excerpts) -> str:
    """The XML document."""
    shown = text.legible(report)
    root = ET.Element("testsuites", name=f"assay {shown.run.target}")
    suites: dict[str, ET.Element] = {}
    for judgement in shown.judgements:
        area = summary.area(judgement.check)
        suite = suites.get(area)
        if suite is None:
            suite = suites[area] = _suite(root, area, shown)
        for case in _cases(judgement, shown):
            _write(suite, judgement, case, checks, excerpts)
    if unread := summary.unread(shown):
        suite = _suite(root, "nodes", shown)
        for group in unread:
            element = ET.SubElement(
                suite, "testcase", classname="nodes", name=folded(group.nodes), time="0"
            )
            ET.SubElement(element, "skipped", message=f"{group.state}: {group.reason}")
    if shown.errors:
        suite = _suite(root, "assay", shown)
        for error in shown.errors:
            name = error.where + (f" [{error.node}]" if error.node else "")
            element = ET.SubElement(suite, "testcase", classname="assay", name=name, time="0")
            ET.SubElement(
                element, "error", message=error.message, type="bug"
            ).text = error.traceback
    for element in [*root, root]:
        _count(element)
    root.set("time", f"{max(shown.run.seconds, 0):.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def _suite(root: ET.Element, name: str, report: Report) -> ET.Element:
    suite = ET.SubElement(root, "testsuite", name=name, time="0", hostname=report.run.target)
    try:
        started = datetime.fromisoformat(report.run.started).astimezone(UTC)
    except (ValueError, OverflowError):
        return suite
    suite.set("timestamp", f"{started:%Y-%m-%dT%H:%M:%S}")
    return suite


def _cases(judgement: Judgement, report: Report) -> Iterator[Case]:
    if not judgement.findings:
        said = judgement.example if judgement.outcome is Outcome.PASS else ""
        yield Case(judgement.check, judgement.outcome, said=said)
        return
    found: dict[str, list[int]] = defaultdict(list)
    for at, finding in enumerate(judgement.findings):
        for node in finding.nodes:
            found[node].append(at)
    alike: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for node, numbers in found.items():
        alike[tuple(numbers)].append(node)
    for key, nodes in alike.items():
        findings = [judgement.findings[at] for at in key]
        outcome = worst(finding.outcome for finding in findings)
        if len(alike) == 1 and not (judgement.passed and len(report.nodes) > 1):
            yield Case(judgement.check, outcome, findings)
        elif len(nodes) <= MOST_CASES:
            for node in nodes:
                yield Case(f"{judgement.check} [{node}]", outcome, findings)
        else:
            yield Case(f"{judgement.check} [{folded(nodes)}]", outcome, findings)
    rest = [row.name for row in report.nodes if row.name not in found]
    if judgement.passed and rest and len(report.nodes) > 1:
        said = f"{judgement.example} ({count(len(rest), 'other node')})"
        yield Case(f"{judgement.check} [others]", Outcome.PASS, said=said)


def _write(
    suite: ET.Element, judgement: Judgement, case: Case, checks: Checks, excerpts: Excerpts
) -> None:
    area = summary.area(judgement.check)
    element = ET.SubElement(suite, "testcase", classname=area, name=case.name, time="0")
    first = case.findings[0] if case.findings else None
    match case.outcome:
        case Outcome.FAIL if first:
            failure = ET.SubElement(
                element,
                "failure",
                message=f"{first.subject}: {first.because}",
                type=first.severity.value,
            )
            failure.text = _story(judgement, case.findings, checks, excerpts)
        case Outcome.UNKNOWN:
            because = first.because if first else "it could not be told"
            ET.SubElement(element, "skipped", message=f"unknown: {because}")
        case Outcome.NOT_APPLICABLE:
            ET.SubElement(element, "skipped", message="not applicable here")
        case Outcome.FAIL:
            ET.SubElement(element, "failure", message="it fails", type=judgement.severity.value)
        case Outcome.PASS:
            pass
    if case.said:
        ET.SubElement(element, "system-out").text = case.said


def _story(
    judgement: Judgement, findings: Sequence[Finding], checks: Checks, excerpts: Excerpts
) -> str:
    known = advice(judgement.check, checks)
    told = [judgement.asks]
    told += [f"{f.outcome} {f.severity}: {f.subject}: {f.because}" for f in findings[:MOST_LINES]]
    told.append(f"on {folded(dict.fromkeys(n for f in findings for n in f.nodes), 400)}")
    if len(findings) > MOST_LINES:
        told.append(f"and {len(findings) - MOST_LINES:,} more")
    told += [f"why: {known.why}"]
    told += [f"fix: {known.fix}"] if known.fix else []
    told += [f"reproduce: {known.reproduce}"] if known.reproduce else []
    told += [f"see: {url}" for url in known.see]
    told += [f"evidence: {q.source}: {q.command}" for q in quotes(findings[0].evidence, excerpts)]
    return "\n".join(told)


def _count(element: ET.Element) -> None:
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
