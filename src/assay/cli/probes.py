"""``assay probes``: what can be read on a node, and what one saved output means."""

import sys
from pathlib import Path

import click

from assay.cli import exits

LARGEST = 64 << 20  # bytes of a saved output that are looked at


@click.group(invoke_without_command=True)
@click.option("--commands", is_flag=True, help="Everything that can ever be run or read on a node.")
@click.option("--sources", is_flag=True, help="The names that `probes parse --as` takes.")
@click.pass_context
def probes(ctx: click.Context, commands: bool, sources: bool) -> None:
    """List what can be read on a node; parse one saved tool output.

    Example:  nvidia-smi -q -x > gpu.xml; assay probes parse gpu.xml --json
    """
    if ctx.invoked_subcommand is not None:
        return
    from assay.engine.catalogue import catalogue
    from assay.engine.parse import readings

    known = catalogue()
    if commands:
        for reading in known.readings(on_request=True):
            note = "   (only on request)" if reading.on_request else ""
            click.echo(f"{reading.via:8} {reading.source}{note}")
    elif sources:
        for name, reading in sorted(readings(known.probes).items()):
            click.echo(f"{name:32} {reading.source}")
    else:
        for probe in known.probes:
            click.echo(f"{probe.id:32} {probe.summary}")


@probes.command("parse")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--as", "name", default="", metavar="SOURCE", help="What it is, if not recognised.")
@click.option("--json", "as_json", is_flag=True, help="Facts as JSON.")
def parse_file(file: Path, name: str, as_json: bool) -> int:
    """Turn one saved tool output into facts, or say why not.

    Example:  ibstat | assay probes parse - --json
    """
    from assay import codec
    from assay.engine.catalogue import catalogue
    from assay.engine.parse import parse
    from assay.reports.text import line

    data = _read(file)
    parsed = parse(data, catalogue().probes, name=name, path=_node_path(file))
    if name and not parsed.source:
        raise click.UsageError(parsed.unknown)
    bugs = [u.error for u in parsed.results if u.error]
    for bug in bugs:
        print(f"assay: bug in {bug.where}: {bug.message}", file=sys.stderr)
    if as_json:
        click.echo(codec.pretty(codec.parsed(parsed)))
    elif parsed.unknown:
        click.echo(f"unknown: {line(parsed.unknown)}")
    else:
        click.echo(f"source: {parsed.source}")
        for found in codec.parsed(parsed)["facts"]:
            told = {k: v for k, v in found.items() if v not in (None, "", []) and k != "kind"}
            click.echo(f"{found['kind']:20} " + line(" ".join(f"{k}={v}" for k, v in told.items())))
    if bugs:
        return exits.BUG
    return exits.INCOMPLETE if parsed.unknown else exits.CLEAN


def _read(file: Path) -> bytes:
    if str(file) == "-":
        return sys.stdin.buffer.read(LARGEST + 1)[:LARGEST]
    with file.open("rb") as stream:
        return stream.read(LARGEST)


def _node_path(file: Path) -> str:
    """The path on the node, where the saved file's own path shows it (sys/..., proc/...)."""
    text = file.as_posix()
    for root in ("/sys/", "/proc/", "/etc/", "/dev/"):
        if root in text:
            return root + text.split(root, 1)[1]
    return ""
