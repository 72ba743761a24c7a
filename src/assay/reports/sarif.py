"""The report as SARIF 2.1.0, for code-scanning pages and editors.

A rule is a check, a result is a finding. Failures are ``fail`` with a level, unknowns are
``open``: not enough is known to decide. Passes and what does not apply are left out unless
*everything* is wanted, because the pages that show SARIF limit how much they take.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from assay.model.finding import HOST, Finding, Judgement
from assay.model.outcome import Outcome, Severity
from assay.model.report import NodeState, Report
from assay.reports import summary, text
from assay.reports.text import Advice, Checks, Excerpts, advice, count, folded, quotes

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
HOME = "https://pypi.org/project/gpu-assay/"

KIND = {
    Outcome.FAIL: "fail",
    Outcome.UNKNOWN: "open",
    Outcome.PASS: "pass",
    Outcome.NOT_APPLICABLE: "notApplicable",
}
LEVEL = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.INFO: "note",
}
# GitHub's bands: above 9 critical, 7 to 8.9 high, 4 to 6.9 medium, below low
SECURITY_SEVERITY = {
    Severity.CRITICAL: "9.5",
    Severity.HIGH: "8.0",
    Severity.MEDIUM: "5.5",
    Severity.LOW: "2.0",
    Severity.INFO: "0.5",
}
MOST_NODES = 64  # named one by one in a result; all of them are in its properties, folded
MOST_RESULTS = 5000  # what GitHub shows of one upload, gravest first


def render(
    report: Report,
    checks: Checks,
    excerpts: Excerpts = text.no_excerpts,
    *,
    everything: bool = False,
) -> str:
    """The SARIF log as JSON text."""
    shown = text.legible(report)
    by_id = {judgement.check: judgement for judgement in shown.judgements}
    rules = {check: at for at, check in enumerate(by_id)}
    results = list(_findings(shown, rules, excerpts))[:MOST_RESULTS]
    if everything:
        results += list(_rest(shown, rules))
    rendered = [_rule(judgement, checks) for judgement in by_id.values()]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(shown, rendered, results)]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _run(
    report: Report, rules: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    run = report.run
    driver = {
        "name": "Assay",
        "version": run.tool_version or "unknown",
        "informationUri": HOME,
        "rules": rules,
    }
    return {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"assay/{run.target}/{run.id}"},
        "invocations": [
            {
                "executionSuccessful": run.complete and not report.errors,
                "toolExecutionNotifications": list(_notifications(report)),
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {
            "target": run.target,
            "started": run.started,
            "seconds": run.seconds,
            "rulesSha256": run.rules_sha256,
            "advisoriesSha256": run.advisories_sha256,
            "nodes": len(report.nodes),
            "nodesRead": sum(row.state is NodeState.READ for row in report.nodes),
            "headline": summary.headline(report).sentence,
        },
    }


def _rule(judgement: Judgement, checks: Checks) -> dict[str, Any]:
    known = advice(judgement.check, checks)
    area = summary.area(judgement.check)
    properties: dict[str, Any] = {"tags": [area], "severity": judgement.severity.value}
    if area == "security":
        # only this makes GitHub count an alert as a vulnerability
        properties["tags"] = ["security"]
        properties["security-severity"] = SECURITY_SEVERITY[judgement.severity]
    rule = {
        "id": judgement.check,
        "name": "".join(word.capitalize() for word in judgement.check.replace(".", "-").split("-")),
        "shortDescription": {"text": judgement.asks or judgement.check},
        "fullDescription": {"text": known.why},
        "help": {"text": _help_text(known), "markdown": _help_markdown(known)},
        "defaultConfiguration": {"level": LEVEL[judgement.severity]},
        "properties": properties,
    }
    if known.see:
        rule["helpUri"] = quote(known.see[0], safe=":/?#[]@!$&'()*+,;=%~")
    return rule


def _help_text(known: Advice) -> str:
    lines = [known.why, f"Fix: {known.fix}" if known.fix else ""]
    lines += [f"Reproduce: {known.reproduce}" if known.reproduce else "", *known.see]
    return "\n".join(line for line in lines if line)


def _help_markdown(known: Advice) -> str:
    parts = [f"**Why it matters.** {known.why}"]
    if known.fix:
        parts.append(f"**How to fix it.** {known.fix}")
    if known.reproduce:
        parts.append(f"**See it yourself.**\n\n```sh\n{known.reproduce}\n```")
    if known.see:
        parts.append("\n".join(f"- <{url}>" for url in known.see))
    return "\n\n".join(parts)


def _findings(
    report: Report, rules: Mapping[str, int], excerpts: Excerpts
) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for finding in report.findings(Outcome.FAIL, Outcome.UNKNOWN):
        # stable from run to run: what is asked about what, not what was measured this time
        identity = sha256(f"{finding.check}\0{finding.subject}".encode()).hexdigest()[:32]
        seen[identity] += 1
        fingerprint = f"{identity}:{seen[identity]}"
        where = folded(finding.nodes)
        several = len(report.nodes) > 1
        on = f" (on {len(finding.nodes):,} of {count(len(report.nodes), 'node')}: {where})"
        evidence = quotes(finding.evidence, excerpts)
        yield {
            "ruleId": finding.check,
            "ruleIndex": rules[finding.check],
            "kind": KIND[finding.outcome],
            "level": LEVEL[finding.severity] if finding.outcome is Outcome.FAIL else "none",
            "message": {
                "text": _plain(f"{finding.subject}: {finding.because}" + (on if several else ""))
            },
            "locations": [_location(report, finding)],
            "relatedLocations": [
                {"id": at, "logicalLocations": _logical(node, finding.subject)}
                for at, node in enumerate(finding.nodes[1:MOST_NODES], 1)
            ],
            "partialFingerprints": {
                "checkAndSubject/v1": fingerprint,
                "primaryLocationLineHash": fingerprint,  # the one that GitHub compares
            },
            "properties": {
                "severity": finding.severity.value,
                "nodes": folded(finding.nodes, 100_000),
                "nodeCount": len(finding.nodes),
                "evidence": [
                    {"node": q.node, "source": q.source, "sha256": q.sha256, "excerpt": q.excerpt}
                    for q in evidence
                ],
            },
        }


def _plain(words: str) -> str:
    """A message of SARIF: braces are its placeholders, brackets its links."""
    escaped = words.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return escaped.replace("{", "{{").replace("}", "}}")


def _location(report: Report, finding: Finding) -> dict[str, Any]:
    """A path that stays the same from run to run: of the node, or of the target for many."""
    name = finding.nodes[0] if len(finding.nodes) == 1 else report.run.target
    node = finding.nodes[0] if finding.nodes else report.run.target
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": f"nodes/{quote(name, safe='')}"},
            "region": {"startLine": 1},
        },
        "logicalLocations": _logical(node, finding.subject),
    }


def _logical(node: str, subject: str) -> list[dict[str, str]]:
    here = [{"name": node, "fullyQualifiedName": node, "kind": "resource"}]
    if subject != HOST:
        here.append(
            {"name": subject, "fullyQualifiedName": f"{node}/{subject}", "kind": "resource"}
        )
    return here


def _rest(report: Report, rules: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    for judgement in report.judgements:
        if judgement.outcome in (Outcome.PASS, Outcome.NOT_APPLICABLE):
            said = judgement.example or "The question does not arise here."
            yield {
                "ruleId": judgement.check,
                "ruleIndex": rules[judgement.check],
                "kind": KIND[judgement.outcome],
                "level": "none",
                "message": {"text": _plain(said)},
            }


def _notifications(report: Report) -> Iterator[dict[str, Any]]:
    for error in report.errors[:100]:
        said = f"{error.where}{f' on {error.node}' if error.node else ''}: {error.message}"
        yield {
            "level": "error",
            "message": {"text": _plain(said)},
            "exception": {"message": error.traceback or error.message},
        }
    for group in summary.unread(report)[:100]:
        said = f"{count(len(group.nodes), 'node')} {group.state}: {folded(group.nodes)}"
        yield {"level": "warning", "message": {"text": _plain(f"{said}: {group.reason}")}}
