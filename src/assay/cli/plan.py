"""``assay plan``: everything that an audit would do, and nothing done."""

from pathlib import Path

import click

from assay.cli import exits
from assay.cli.nodes import Where, readings_of, where_options


@click.command()
@click.argument("recording", required=False, type=click.Path(path_type=Path))
@where_options
@click.option("--changelogs", is_flag=True, help="With the readings that are made on request.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def plan(recording: Path | None, where: Where, changelogs: bool, as_json: bool) -> int:
    """Print every command, file, job and object of an audit before anything happens.

    Example:  assay plan | less
    """
    from assay.cli.audit import target_of
    from assay.engine.catalogue import catalogue

    target = target_of(recording, where)
    readings = readings_of(catalogue(), recording, where, on_request=changelogs)
    if as_json:
        from assay import codec

        steps = [
            {"via": r.via, "source": r.source, "deadline_seconds": r.deadline, "cap_bytes": r.cap}
            for r in readings
        ]
        whole = {"target": target.name, "effect": "none", "steps": target.describe()}
        click.echo(codec.pretty({**whole, "readings": steps}))
        return exits.CLEAN
    click.echo(f"target   {target.name}")
    click.echo("effect   none: nothing is changed, nothing is left behind")
    jobs = "one short Slurm job, at most" if where.slurm else "none"
    click.echo(f"jobs     {jobs}\npods     none\nimages   none")
    sends = "only to the nodes named below" if where.given else "nothing"
    click.echo(f"sends    {sends}")
    for step in target.describe():
        click.echo(f"step     {step}")
    click.echo(f"\n{len(readings)} readings on each node:")
    for reading in readings:
        click.echo(f"  {reading.via:8} {reading.source}")
    return exits.CLEAN
