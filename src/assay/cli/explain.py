"""``assay explain``: one check in full."""

from typing import TYPE_CHECKING

import click

from assay.cli import exits

if TYPE_CHECKING:
    from assay.kit.check import Check


@click.command()
@click.argument("check")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def explain(check: str, as_json: bool) -> int:
    """Say what CHECK asks, why it matters, how to fix it and what it reads.

    Example:  assay explain system.perf-events
    """
    from assay.engine.catalogue import catalogue
    from assay.kit.reading import Via

    known = catalogue()
    found = known.check(check)
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(check, [c.id for c in known.checks], n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else " See `assay checks`."
        raise click.UsageError(f"no check is called {check!r}.{hint}")
    kinds = {need.kind for need in found.needs.values()}
    reads = [
        reading
        for probe in known.probes
        if kinds.intersection(probe.gives)
        for reading in probe.reads
        if reading.via is not Via.SAVED
    ]
    if as_json:
        from assay import codec

        click.echo(codec.pretty(described(found) | {"reads": [r.source for r in reads]}))
    else:
        from rich.console import Console

        from assay.reports.explain import Explanation

        Console(highlight=False).print(Explanation(found, reads))
    return exits.CLEAN


def described(check: "Check") -> dict[str, object]:
    """A check as plain values."""
    return {
        "id": check.id,
        "asks": check.asks,
        "severity": check.severity,
        "why": check.why,
        "fix": check.fix,
        "see": check.see,
        "reproduce": check.reproduce,
        "needs": [need.kind.__name__ for need in check.needs.values()],
    }
