"""``assay bundle``: look into recorded runs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import exits

if TYPE_CHECKING:
    from assay.store.bundle import Bundle

PATH = click.Path(path_type=Path)
WHOLE = 1 << 30  # lines, and columns: evidence is shown in full here


@click.group()
def bundle() -> None:
    """Show, verify, export or compare recorded runs.

    Example:  assay bundle show 3f2a91c0d4e5 --in run.assay
    """


def given(path: Path | None) -> Path:
    """*path*, or the newest run."""
    from assay.cli import places

    found = path or places.newest()
    if found is None:
        raise click.UsageError(f"no run in {places.runs()}; run `assay audit`, or name a bundle")
    return found


@bundle.command()
@click.argument("sha", required=False)
@click.option("--in", "path", type=PATH, help="The bundle; the newest run by default.")
@click.option("--raw", is_flag=True, help="Exactly the bytes, to stdout.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def show(sha: str | None, path: Path | None, raw: bool, as_json: bool) -> int:
    """Print what a bundle holds, or the evidence whose SHA-256 starts with SHA."""
    from assay.store.bundle import Bundle

    with Bundle(given(path)) as opened:
        if sha:
            return _evidence(opened, sha, raw=raw, as_json=as_json)
        return _contents(opened, as_json=as_json)


def _evidence(opened: "Bundle", sha: str, *, raw: bool, as_json: bool) -> int:
    from assay import codec
    from assay.reports.text import block, line

    found = opened.captures(sha.lower())
    if not found:
        raise click.UsageError(f"no evidence in {opened.path} starts with {sha!r}")
    if len({capture.sha256 for capture, _ in found}) > 1:
        names = ", ".join(sorted({capture.sha256[:16] for capture, _ in found}))
        raise click.UsageError(f"{sha!r} is not unique: {names}")
    if raw:
        sys.stdout.buffer.write(found[0][0].data)
        return exits.CLEAN
    for capture, nodes in found:
        if as_json:
            text = capture.data.decode("utf-8", "replace")
            click.echo(codec.pretty({
                "sha256": capture.sha256, "source": capture.source, "status": capture.status,
                "exit_code": capture.exit_code, "stderr": capture.stderr,
                "reason": capture.reason, "nodes": nodes, "text": text,
            }))  # fmt: skip
            continue
        click.echo(f"source   {line(capture.source)}")
        click.echo(f"sha256   {capture.sha256}")
        exit_code = "" if capture.exit_code is None else f", exit {capture.exit_code}"
        click.echo(f"status   {capture.status}{exit_code}")
        for label, value in (("reason", capture.reason), ("stderr", capture.stderr)):
            if value:
                click.echo(f"{label:8} {line(value)}")
        click.echo(f"nodes    {len(nodes)}: {line(', '.join(nodes[:8]))}")
        click.echo("")
        click.echo(block(capture.data.decode("utf-8", "replace"), WHOLE, WHOLE))
    return exits.CLEAN


def _contents(opened: "Bundle", *, as_json: bool) -> int:
    from assay import codec
    from assay.reports.text import line

    run, report = opened.run(), opened.report()
    captures = opened.captures("")
    if as_json:
        answers = [
            {"source": c.source, "status": c.status, "sha256": c.sha256, "bytes": len(c.data),
             "nodes": len(nodes)}
            for c, nodes in captures
        ]  # fmt: skip
        nodes = opened.nodes()
        whole = {"run": run, "complete": opened.complete, "head": opened.head}
        click.echo(codec.pretty({**whole, "nodes": nodes, "answers": answers}))
        return exits.CLEAN if opened.complete else exits.INCOMPLETE
    click.echo(f"run      {run.id} of {line(run.target)}, started {run.started}")
    click.echo(f"rules    {run.rules_sha256[:16]} (assay {run.tool_version})")
    state = "complete" if opened.complete else "INCOMPLETE: the run did not come to its end"
    click.echo(f"state    {state}")
    click.echo(f"head     {opened.head}")
    if report:
        failed = sum(j.failed for j in report.judgements)
        unknown = sum(j.unknown for j in report.judgements)
        passed = sum(j.passed for j in report.judgements)
        click.echo(f"verdicts {failed} failed, {unknown} unknown, {passed} passed")
    click.echo(f"nodes    {len(opened.nodes())}")
    for row in opened.nodes()[:20]:
        click.echo(f"         {line(row.name)}: {row.state} {line(row.reason)}".rstrip())
    click.echo(f"answers  {len(captures)}")
    for capture, _ in sorted(captures, key=lambda c: c[0].source):
        source = line(capture.source)
        source = source if len(source) <= 60 else source[:57] + "..."
        click.echo(
            f"  {capture.sha256[:12]}  {capture.status:9} {len(capture.data):>9} B  {source}"
        )
    return exits.CLEAN if opened.complete else exits.INCOMPLETE


@bundle.command()
@click.argument("path", required=False, type=PATH)
def verify(path: Path | None) -> int:
    """Check every hash of a bundle: nothing changed, dropped or slipped in."""
    from assay.store.bundle import Bundle

    with Bundle(given(path)) as opened:
        problems = list(opened.verify())
        for problem in problems:
            click.echo(f"{problem.where}: {problem.what}")
        if not problems:
            click.echo(f"sound: {opened.head}")
            return exits.CLEAN
        only_cut = all(problem.where == "end" for problem in problems)
        return exits.INCOMPLETE if only_cut else exits.FINDINGS


@bundle.command()
@click.argument("folder", type=PATH)
@click.option("--in", "path", type=PATH, help="The bundle; the newest run by default.")
def export(folder: Path, path: Path | None) -> int:
    """Write the evidence of a bundle as plain files into the new FOLDER."""
    from assay.engine.catalogue import catalogue
    from assay.store.bundle import Bundle
    from assay.targets.recorded import write

    if folder.exists():
        raise click.UsageError(f"{folder} exists already")
    with Bundle(given(path)) as opened:
        count = write(opened.evidence(), folder, catalogue().readings(on_request=True, saved=True))
    click.echo(f"{count} node{'' if count == 1 else 's'} in {folder}", err=True)
    return exits.CLEAN


@bundle.command()
@click.argument("old", type=PATH)
@click.argument("new", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def diff(old: Path, new: Path, as_json: bool) -> int:
    """Say what changed between two runs, as they were judged then."""
    from assay.cli.changes import show_changes
    from assay.store.bundle import Bundle
    from assay.store.format import BundleError

    reports = []
    for path in (old, new):
        with Bundle(path) as opened:
            report = opened.report()
        if report is None:
            raise BundleError(f"{path} holds no report: its run was cut off; `assay recheck` it")
        reports.append(report)
    return show_changes(*reports, as_json=as_json)
