"""``assay audit``: read, keep the evidence, judge, report."""

import secrets
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import exits
from assay.cli.keepers import Kept, open_bundle
from assay.cli.nodes import HERE, Where, nodes_of, readings_of, where_options
from assay.cli.output import Output, Progress, Seconds, excerpts, report_options, write

if TYPE_CHECKING:
    from assay.engine.catalogue import Catalogue
    from assay.engine.target import Target
    from assay.model.report import Run


@click.command(context_settings={"max_content_width": 100})
@click.argument("recording", required=False, type=click.Path(path_type=Path))
@where_options
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where the bundle goes.")
@click.option("--no-bundle", is_flag=True, help="Keep no evidence.")
@click.option("--only", multiple=True, metavar="GLOB", help="Only these checks, as in 'gpu.*'.")
@click.option("--changelogs", is_flag=True, help="Also read package changelogs (slower).")
@click.option("--identifying", is_flag=True, help="Keep serials, addresses and user names as is.")
@click.option(
    "--advisories",
    "database",
    type=click.Path(path_type=Path),
    help="Judge versions with this database instead of the newest one here.",
)
@click.option(
    "--deadline", type=Seconds(), help="Seconds for all of it; 20, and more for many nodes."
)
@report_options
def audit(
    recording: Path | None,
    where: Where,
    out: Path | None,
    no_bundle: bool,
    only: tuple[str, ...],
    changelogs: bool,
    identifying: bool,
    database: Path | None,
    deadline: float | None,
    output: Output,
) -> int:
    """Audit this machine, nodes over ssh, or RECORDING: a folder of saved outputs.

    It reads and changes nothing. Every answer is kept as evidence in one private file, the bundle.

    \b
    Examples:  assay audit
               assay audit --ssh 'gpu-[001-032]'
               assay audit --html report.html --format sarif=out.sarif
               assay audit --only 'gpu.*' --json | jq '.judgements[].findings'
    """
    from assay.cli.advisories import judging
    from assay.engine.audit import Interrupted, Keeper, start
    from assay.engine.audit import audit as run_audit
    from assay.engine.target import Options

    if no_bundle and out:
        raise click.UsageError("--no-bundle keeps no evidence, --out says where: choose one")
    target = target_of(recording, where)
    known = selected(only)
    options = Options(
        deadline=where.deadline(target) if deadline is None else deadline,
        salt=secrets.token_hex(16),
        identifying=identifying,
    )
    readings = readings_of(known, recording, where, on_request=changelogs)
    kept = Kept()
    progress = Progress(quiet=output.quiet)
    code = None
    with judging(database) as now:
        run = start(target.name, options, now.database.sha256)
        path = None if no_bundle else out or _default(run)
        try:
            with open_bundle(path) as keepers:
                everyone: list[Keeper] = [kept, *keepers]
                try:
                    report = run_audit(target, known, readings, options, run, everyone, progress)
                except Interrupted as interrupted:
                    report, code = interrupted.report, exits.INTERRUPTED
                for keeper in keepers:
                    keeper.finish(report)
        except KeyboardInterrupt:
            if path:
                print(f"assay: what was read is in {path}: `assay recheck` it", file=sys.stderr)
            raise
        finally:
            progress.clear()
    for line in getattr(target, "summary", tuple)() if not output.quiet else ():
        print(f"assay: {line}", file=sys.stderr)
    lost = [keeper.lost for keeper in keepers if keeper.lost]
    for why in lost:
        print(f"assay: the evidence was not kept: {why}", file=sys.stderr)
    write(report, known.checks, excerpts(kept.captures), output, bundle=None if lost else path)
    if code is None:
        code = exits.of(report, output.fail_on)
    return exits.INCOMPLETE if lost and code == exits.CLEAN else code


def selected(only: Sequence[str]) -> "Catalogue":
    """The catalogue with the checks that match one of the globs in *only*, and what they need."""
    from dataclasses import replace

    from assay.engine.catalogue import catalogue

    known = catalogue()
    if not only:
        return known
    checks = tuple(c for c in known.checks if any(fnmatchcase(c.id, glob) for glob in only))
    if not checks:
        raise click.UsageError(f"no check matches {', '.join(only)}; see `assay checks`")
    kinds = {need.kind for check in checks for need in check.needs.values()}
    probes = tuple(p for p in known.probes if kinds.intersection(p.gives))
    return replace(known, checks=checks, probes=probes)


def target_of(recording: Path | None, where: Where = HERE) -> "Target":
    """This machine, a folder that somebody recorded, or the nodes of a cluster."""
    if recording is not None and where.given:
        raise click.UsageError("a RECORDING is judged without any node; name one or the other")
    if where.given:
        return nodes_of(where)
    if recording is None:
        from assay.targets.local import Local

        return Local()
    if recording.is_file():
        raise click.UsageError(f"{recording} is a file; a bundle is judged by `assay recheck`")
    from assay.targets.recorded import Recorded

    return Recorded(recording)


def _default(run: "Run") -> Path:
    from assay.cli import places
    from assay.store.format import CannotWrite

    path = places.bundle(run)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(
            f"cannot keep evidence in {path.parent}: {error.strerror}."
            " Name a place with --out FILE, or judge without keeping it with --no-bundle."
        ) from error
    return path
