"""``assay demo``: a real report without a GPU."""

from pathlib import Path

import click

from assay.cli import exits
from assay.cli.keepers import Kept, open_bundle
from assay.cli.output import Output, excerpts, report_options, write


@click.command()
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Also write a bundle.")
@report_options
def demo(
    out: Path | None,
    output: Output,
) -> int:
    """Audit a small synthetic cluster that ships with Assay: 8 sound nodes and some sick ones.

    It exits with 0 whatever it finds: the faults are planted.

    Example:  assay demo --html demo.html
    """
    from assay.advisories import session
    from assay.demo.cluster import Demo
    from assay.engine.audit import audit, start
    from assay.engine.catalogue import catalogue
    from assay.engine.target import Options

    known, target, options, kept = catalogue(), Demo(), Options(), Kept()
    # judged as of the day of the embedded advisories: a demo does not age
    with session.judging() as now, open_bundle(out) as keepers:
        run = start(target.name, options, now.database.sha256)
        report = audit(target, known, known.readings(), options, run, [kept, *keepers])
        for keeper in keepers:
            keeper.finish(report)
    write(report, known.checks, excerpts(kept.captures), output, bundle=out)
    code = exits.of(report, output.fail_on)
    return exits.CLEAN if code in (exits.FINDINGS, exits.INCOMPLETE) else code
