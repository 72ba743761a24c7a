"""``assay schema``: the JSON schema of a report."""

import click

from assay.cli import exits


@click.command()
def schema() -> int:
    """Print the JSON schema of a report (what `--json` gives).

    Example:  assay schema > report.schema.json
    """
    from assay import codec

    click.echo(codec.pretty(codec.report_schema()))
    return exits.CLEAN
