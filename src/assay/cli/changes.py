"""How two reports differ, on the screen and as JSON."""

import click

from assay.cli import exits
from assay.engine.compare import Change, compare
from assay.model.outcome import Outcome
from assay.model.report import Report


def show_changes(old: Report, new: Report, *, as_json: bool) -> int:
    """Print every change; exit code 1 when something became worse."""
    changes = list(compare(old, new))
    if as_json:
        from assay import codec

        click.echo(codec.pretty({"changes": changes}))
    else:
        _print(old, new, changes)
    return exits.FINDINGS if any(worse(change) for change in changes) else exits.CLEAN


def worse(change: Change) -> bool:
    """A failure that was not there before."""
    return any(finding.outcome is Outcome.FAIL for finding in change.appeared)


def _print(old: Report, new: Report, changes: list[Change]) -> None:
    from assay.reports.text import line

    if old.run.rules_sha256 != new.run.rules_sha256:
        click.echo(
            f"rules {old.run.rules_sha256[:12]} (assay {old.run.tool_version}) ->"
            f" {new.run.rules_sha256[:12]} (assay {new.run.tool_version})"
        )
    if old.run.advisories_sha256 != new.run.advisories_sha256:
        click.echo(
            f"advisories {old.run.advisories_sha256[:12] or 'none'} ->"
            f" {new.run.advisories_sha256[:12] or 'none'}"
        )
    if not changes:
        click.echo("nothing changed")
    for change in changes:
        click.echo(f"{change.check}: {change.before or 'no such check'} ->"
                   f" {change.after or 'no such check'}")  # fmt: skip
        for sign, findings in (("+", change.appeared), ("-", change.gone)):
            for finding in findings:
                nodes = ", ".join(finding.nodes[:4]) + (" ..." if len(finding.nodes) > 4 else "")
                click.echo(
                    f"  {sign} {finding.outcome} {finding.severity}"
                    f" {line(finding.subject)} on {line(nodes)}: {line(finding.because)}"
                )
