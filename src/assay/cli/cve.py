"""``assay cve``: which hosts, versions or SBOMs an advisory concerns, and why."""

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import exits
from assay.model.outcome import Outcome, Severity

if TYPE_CHECKING:
    from assay.engine.advise import Line, Reach, Told

_ID = re.compile(r"(?:CVE|GHSA|GO|ASY)-[\w-]+", re.IGNORECASE)
_MOST_LINES = 12  # advisories shown to a person; --json has them all


class _Ids(click.Group):
    """A group in which a CVE id is a verb of its own: `assay cve CVE-2025-23266`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """An id means ``show`` of that id."""
        if args and _ID.fullmatch(args[0]):
            return "show", self.commands["show"], args
        return super().resolve_command(ctx, args)


def _options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--json", "as_json", is_flag=True, help="The whole answer as JSON."),
        click.option(
            "--fail-on",
            type=click.Choice([*map(str, Severity), "never"]),
            default="low",
            show_default=True,
            help="Severity from which an advisory that applies makes the exit code 1.",
        ),
        click.option(
            "--advisories",
            "db",
            type=click.Path(path_type=Path),
            help="Judge with this database instead of the newest one here.",
        ),
    ):
        function = option(function)
    return function


@click.group(cls=_Ids)
def cve() -> None:
    """Which hosts, versions or SBOMs an advisory concerns, and why; offline.

    Example:  assay cve version runc 1.2.8        (or: assay cve CVE-2025-23266)

    Exit codes: 0 nothing applies, 1 something does, 2 usage, 3 it cannot be told.
    """


@cve.command(hidden=True)
@click.argument("id")
@click.argument("bundles", nargs=-1, type=click.Path(path_type=Path))
@_options
def show(id: str, bundles: tuple[Path, ...], as_json: bool, fail_on: str, db: Path | None) -> int:
    """Which hosts of recorded runs one advisory concerns.

    Example:  assay cve CVE-2025-23266 last-month.assay
    """
    from assay import codec
    from assay.cli import places
    from assay.cli.advisories import judging
    from assay.engine import advise
    from assay.engine.catalogue import catalogue
    from assay.store.bundle import Bundle

    newest = places.newest()
    paths = bundles or ((newest,) if newest else ())
    evidence = []
    for path in paths:
        with Bundle(path) as opened:
            evidence += list(opened.evidence())
    with judging(db) as now:
        hosts = advise.inventories(evidence, catalogue().probes) if evidence else {}
        found = advise.reach(now, id, hosts)
        if as_json:
            click.echo(codec.pretty(found))
        else:
            _show_reach(found)
            if not paths:
                print("assay: no run is recorded here; `assay audit` makes one", file=sys.stderr)
    if not hosts and found.titles:
        return exits.INCOMPLETE
    return _code(found.outcome, (), fail_on)


def _show_reach(found: "Reach") -> None:
    click.echo(f"{found.id}  {'; '.join(found.titles) or 'not in the database'}")
    for row in found.groups:
        nodes = ", ".join(row.nodes[:6]) + (f" and {len(row.nodes) - 6} more" if
                                            len(row.nodes) > 6 else "")  # fmt: skip
        click.echo(f"  {row.state:15} {row.component} {row.version}  {row.because}")
        click.echo(f"  {'':15} {len(row.nodes)} of {found.nodes} hosts: {nodes}")
    if found.nodes and not found.groups and found.titles:
        click.echo(f"  none of {found.nodes} hosts has a component that it concerns")
    _age(found.as_of, stale=found.stale)


@cve.command()
@click.argument("component")
@click.argument("number", metavar="VERSION")
@click.option("--distro", default="", metavar="ID:VERSION", help="Who built it: ubuntu:24.04.")
@click.option("--product", default="", help="Which product: MI300X, HGX-Hopper, datacenter.")
@click.option(
    "--feature",
    "features",
    multiple=True,
    metavar="NAME=yes|no",
    help="A setting that conditions ask about: crun=yes, stepmgr=no.",
)
@_options
def version(
    component: str,
    number: str,
    distro: str,
    product: str,
    features: tuple[str, ...],
    as_json: bool,
    fail_on: str,
    db: Path | None,
) -> int:
    """What the database says about one version of one component.

    Example:  assay cve version docker 24.0.7-0ubuntu4.1 --distro ubuntu:24.04 --json
    """
    from assay import codec
    from assay.advisories.host import Host
    from assay.cli.advisories import judging
    from assay.engine import advise

    host = Host(features=_features(features))
    with judging(db) as now:
        thing = advise.stated(component, number, built_by=distro, product=product)
        told = advise.tell(now, thing, host)
    if as_json:
        click.echo(codec.pretty(told))
    else:
        _show_told(told)
    return _code(told.outcome, told.lines, fail_on)


def _features(given: Iterable[str]) -> dict[str, bool]:
    found = {}
    for item in given:
        name, _, value = item.partition("=")
        if value not in ("yes", "no"):
            raise click.UsageError(f"--feature {item}: expected {name or 'NAME'}=yes or =no")
        found[name] = value == "yes"
    return found


def _show_told(told: "Told") -> None:
    built = f" ({told.distro})" if told.distro else ""
    click.echo(f"{told.outcome:8} {told.component} {told.version}{built}: {told.because}")
    if told.upgrade_to:
        exploited = f", {told.exploited} of them known exploited" if told.exploited else ""
        click.echo(f"  upgrade to {told.upgrade_to}: clears {told.affected}"
                   f" advisories{exploited}; {told.upgrade_at}")  # fmt: skip
    if told.ends:
        click.echo(f"  its branch gets fixes until {told.ends}")
    shown = [line for line in told.lines if line.state in ("affected", "unassessed", "unknown")]
    for line in shown[:_MOST_LINES]:
        grade = str(line.severity or "unrated")
        mark = " KNOWN EXPLOITED" if line.exploited else ""
        click.echo(f"  {line.state:11} {line.id:18} {grade:9} {line.title}{mark}")
        click.echo(f"  {'':11} {line.because}; {line.url}")
    if len(shown) > _MOST_LINES:
        click.echo(f"  and {len(shown) - _MOST_LINES} more: --json lists them")
    _age(told.as_of, stale=told.stale)


def _age(as_of: str, *, stale: bool) -> None:
    if stale:
        print(f"assay: these advisories are of {as_of}: STALE, nothing is cleared by them;"
              " run `assay db update` or `assay db import`", file=sys.stderr)  # fmt: skip


@cve.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@_options
def scan(file: Path, as_json: bool, fail_on: str, db: Path | None) -> int:
    """Match an SBOM that others made (CycloneDX JSON of syft, trivy...).

    Example:  syft IMAGE -o cyclonedx-json | assay cve scan - --json
    """
    from assay import codec
    from assay.advisories import sbom
    from assay.cli.advisories import judging
    from assay.engine import advise

    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        given = sbom.read(data)
    except (sbom.BadSbom, OSError) as error:
        raise click.UsageError(f"{file}: {error}") from error
    with judging(db) as now:
        found = advise.sbom(now, given)
    if as_json:
        click.echo(codec.pretty({"name": given.name, "not_judged": given.others, "found": found}))
    else:
        for told in found:
            _show_told(told)
        known = len(given.installed)
        click.echo(f"{known} components are known here, {given.others} are not judged")
    outcomes = [told.outcome for told in found]
    worst = max(outcomes, key=lambda o: o.rank, default=Outcome.UNKNOWN)
    return _code(worst, [line for told in found for line in told.lines], fail_on)


@cve.command()
@click.argument("bundle", required=False, type=click.Path(path_type=Path))
@click.option("--node", default="", help="Which node of the run; the first one by default.")
@click.option(
    "--form",
    type=click.Choice(["cyclonedx", "openvex"]),
    default="cyclonedx",
    show_default=True,
    help="CycloneDX 1.6 (SBOM with VEX) or OpenVEX.",
)
@click.option("--advisories", "db", type=click.Path(path_type=Path), help="Judge with this one.")
def export(bundle: Path | None, node: str, form: str, db: Path | None) -> int:
    """The inventory of one recorded node as an SBOM, with what advisories mean for it.

    Example:  assay cve export last-month.assay --node gpu-001 > gpu-001.cdx.json
    """
    from datetime import UTC, datetime

    from assay import codec
    from assay.cli.advisories import judging
    from assay.cli.bundle import given
    from assay.engine import advise
    from assay.engine.catalogue import catalogue
    from assay.store.bundle import Bundle

    with Bundle(given(bundle)) as opened, judging(db) as now:
        evidence = [e for e in opened.evidence() if node in ("", e.node)][:1]
        if not evidence:
            raise click.UsageError(f"the run has no node {node!r}")
        hosts = advise.inventories(evidence, catalogue().probes)
        name, answers = next(iter(advise.fleet(now, hosts).items()))
        run = opened.run()
    stamp = datetime.now(UTC).replace(microsecond=0)
    if form == "openvex":
        from assay.reports import openvex

        id = f"urn:assay:{run.id}:{name}:{now.database.sha256[:16]}"
        click.echo(codec.pretty(openvex.document(answers, id=id, stamp=stamp.isoformat())))
        return exits.CLEAN
    try:
        from assay.reports import cyclonedx
    except ImportError as error:
        raise click.UsageError("CycloneDX needs: pip install 'gpu-assay[sbom]'") from error
    click.echo(cyclonedx.text(answers, name=name, stamp=stamp))
    return exits.CLEAN


def _code(outcome: Outcome, lines: Iterable["Line"], fail_on: str) -> int:
    """0 nothing applies, 1 something at or above the threshold does, 3 it cannot be told."""
    if outcome is Outcome.UNKNOWN:
        return exits.INCOMPLETE
    if outcome is not Outcome.FAIL or fail_on == "never":
        return exits.CLEAN
    least = Severity(fail_on).rank
    grades = [line.severity for line in lines if line.state == "affected"]
    # an advisory that nobody graded counts: absent is not harmless
    if not grades or any(grade is None or grade.rank >= least for grade in grades):
        return exits.FINDINGS
    return exits.CLEAN
