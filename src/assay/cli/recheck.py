"""``assay recheck``: old evidence, today's rules."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import exits
from assay.cli.output import Output, excerpts, report_options, write

if TYPE_CHECKING:
    from assay.model.report import Report


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option(
    "--advisories",
    "database",
    type=click.Path(path_type=Path),
    help="Judge versions with this database instead of the newest one here.",
)
@click.option("--changes", is_flag=True, help="Only what changed since the run was judged.")
@report_options
def recheck(
    path: Path | None,
    database: Path | None,
    changes: bool,
    output: Output,
) -> int:
    """Judge a recorded run by today's rules, without touching the cluster.

    Example:  assay recheck last-month.assay
    """
    from assay.cli.advisories import judging
    from assay.cli.bundle import given
    from assay.cli.changes import show_changes
    from assay.engine.audit import assess
    from assay.engine.catalogue import catalogue
    from assay.model.report import Report
    from assay.store.bundle import Bundle
    from assay.store.format import BundleError

    began = time.monotonic()
    known = catalogue()
    with Bundle(given(path)) as opened:
        broken = [p for p in opened.verify() if p.where != "end"]
        if broken:
            raise BundleError(
                f"{opened.path} is damaged ({broken[0].where}: {broken[0].what});"
                " it is not judged. `assay bundle verify` lists all."
            )
        run, then = opened.run(), opened.report()
        evidence = list(opened.evidence())
        with judging(database) as session:
            run = replace(run, advisories_sha256=session.database.sha256)
            now = assess(evidence, opened.nodes(), known, run, seconds=time.monotonic() - began)
    if changes:
        as_json = ("json", None) in output.formats
        return show_changes(then or Report(run, (), ()), now, as_json=as_json)
    captures = {(e.node, source): c for e in evidence for source, c in e.captures.items()}
    write(now, known.checks, excerpts(captures), output, bundle=opened.path)
    if then is not None and not output.quiet:
        _remark(then, now)
    return exits.of(now, output.fail_on)


def _remark(then: "Report", now: "Report") -> None:
    """One line on stderr: does today's judgement differ from the one that was given?"""
    from assay.engine.compare import compare

    changed = list(compare(then, now))
    if changed:
        names = ", ".join(change.check for change in changed[:5])
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        print(f"assay: {len(changed)} checks answer differently than in the run: {names}{more};"
              " see `assay recheck --changes`", file=sys.stderr)  # fmt: skip
    else:
        print("assay: same verdicts as in the run", file=sys.stderr)
