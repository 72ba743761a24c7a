"""``assay checks``: the whole list."""

import click

from assay.cli import exits


@click.command()
@click.argument("pattern", required=False, default="*")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def checks(pattern: str, as_json: bool) -> int:
    """List every check, or those that match PATTERN.

    Example:  assay checks 'gpu.*'
    """
    from fnmatch import fnmatchcase

    from assay.cli.explain import described
    from assay.engine.catalogue import catalogue

    found = [check for check in catalogue().checks if fnmatchcase(check.id, pattern)]
    if not found:
        raise click.UsageError(f"no check matches {pattern!r}")
    if as_json:
        from assay import codec

        click.echo(codec.pretty([described(check) for check in found]))
        return exits.CLEAN
    width = max(len(check.id) for check in found)
    for check in found:
        click.echo(f"{check.id:{width}}  {check.severity:8}  {check.asks}")
    return exits.CLEAN
