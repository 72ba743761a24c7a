"""``assay selftest``: the positive and negative control of every check."""

import click

from assay.cli import exits


@click.command()
@click.argument("pattern", required=False, default="*")
@click.option("-v", "--verbose", is_flag=True, help="List every control.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def selftest(pattern: str, verbose: bool, as_json: bool) -> int:
    """Prove that every check passes a sound host and fails one with its fault planted.

    Example:  assay selftest 'gpu.*' -v
    """
    from fnmatch import fnmatchcase

    from assay.demo.hosts import hosts
    from assay.engine.catalogue import catalogue
    from assay.engine.plants import prove

    known = catalogue()
    chosen = [check for check in known.checks if fnmatchcase(check.id, pattern)]
    if not chosen:
        raise click.UsageError(f"no check matches {pattern!r}")
    proofs = list(prove(chosen, known.probes, hosts()))
    broken = [proof for proof in proofs if not proof.holds]
    if as_json:
        from assay import codec

        click.echo(codec.pretty({"proofs": proofs, "broken": len(broken)}))
    else:
        for proof in proofs if verbose else broken:
            word = "holds " if proof.holds else "BROKEN"
            click.echo(f"{word} {proof.check}: {proof.plant}: {proof.because}")
        click.echo(f"{len(proofs) - len(broken)} of {len(proofs)} controls hold"
                   f" ({len(chosen)} checks)")  # fmt: skip
    return exits.BUG if broken else exits.CLEAN
