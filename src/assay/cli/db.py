"""``assay db``: the advisory database: its age, where it comes from, refresh, export, import."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from assay.cli import exits

_PATH = click.Path(path_type=Path)


@click.group()
def db() -> None:
    """Show, refresh, export or import the advisory database.

    Example:  assay db status
    """


@db.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--advisories", "path", type=_PATH, help="Of this file instead.")
def status(path: Path | None, as_json: bool) -> int:
    """How old the database is, what is in it, and where that comes from.

    Example:  assay db status --json
    """
    from assay import codec
    from assay.cli.advisories import judging

    with judging(path) as now:
        found = now.database
        about = {
            "as_of": found.as_of,
            "age_days": found.age_days(now.today),
            "stale": now.stale,
            "sha256": found.sha256,
            "records": found.records,
            "components": {name: found.count(name) for name in found.components},
            "sources": found.sources,
        }
    if as_json:
        click.echo(codec.pretty(about))
    else:
        click.echo(
            f"{found.records} records of {len(found.components)} components, of {found.as_of}"
            f" ({about['age_days']} days old), sha256 {found.sha256[:16]}..."
        )
        for source in found.sources:
            click.echo(f"  {source.id:22} {source.records:6}  {source.when[:10]}  {source.licence}")
    if now.stale:
        print("assay: the database is STALE: it clears nothing; `assay db update`", file=sys.stderr)
        return exits.INCOMPLETE
    return exits.CLEAN


@db.command()
@click.argument("path", required=False, type=_PATH)
def verify(path: Path | None) -> int:
    """Read and validate every record of a database.

    Example:  assay db verify
    """
    from assay.advisories import database
    from assay.advisories.database import BadDatabase
    from assay.advisories.records import BadRecord
    from assay.cli.advisories import chosen

    found = chosen(path)
    try:
        database.verify(found)
    except (BadDatabase, BadRecord) as error:
        print(f"assay: {error}", file=sys.stderr)
        return exits.FINDINGS
    click.echo(f"{found.records} records are whole; sha256 {found.sha256}")
    return exits.CLEAN


@db.command()
@click.argument("facts", type=_PATH)
@click.option("-o", "--output", type=_PATH, required=True, help="Where the database goes.")
@click.option("--as-of", default="", help="The day that the facts are of (ISO date).")
def build(facts: Path, output: Path, as_of: str) -> int:
    """Build a database from a file of facts, one JSON object a line.

    Example:  assay db build advisory-facts.jsonl -o advisories.db
    """
    from assay.advisories.build import from_facts
    from assay.advisories.records import BadRecord

    try:
        found = from_facts(facts.read_bytes(), as_of=as_of)
    except (BadRecord, ValueError) as error:
        raise click.UsageError(f"{facts}: {error}") from error
    output.write_bytes(found.dump())
    click.echo(f"{found.records} records, {len(found.dump())} bytes, sha256 {found.sha256}")
    return exits.CLEAN


@db.command()
@click.option("--feed", "wanted", multiple=True, help="Only this feed; may be repeated.")
@click.option("--list", "listing", is_flag=True, help="List the feeds and download nothing.")
def update(wanted: tuple[str, ...], listing: bool) -> int:
    """Refresh from the public feeds. This is the only verb that downloads advisories.

    Example:  assay db update --feed cisa-kev --feed govulndb
    """
    from assay.advisories.feeds.refresh import all_feeds

    feeds = all_feeds()
    if listing:
        for feed in feeds.values():
            click.echo(f"{feed.id:20} {feed.summary}\n{'':20} {feed.licence}; {feed.urls[0]}")
        return exits.CLEAN
    missing = [name for name in wanted if name not in feeds]
    if missing:
        raise click.UsageError(f"there is no feed {missing[0]!r}; `assay db update --list`")
    return _update([feeds[name] for name in wanted] or list(feeds.values()))


def _update(feeds: list) -> int:  # type: ignore[type-arg]
    from assay.advisories.feeds import refresh
    from assay.advisories.feeds.feed import BadFeed
    from assay.advisories.records import BadRecord
    from assay.cli.advisories import chosen, folder, keep
    from assay.targets.feeds import Cache, FetchError, documents

    cache = Cache(folder() / "downloads")
    fetched, failed = [], 0
    for feed in feeds:
        for url in feed.urls:
            try:
                got = cache.get(url)
                found = refresh.read(feed, documents(feed, got))
            except (FetchError, BadFeed) as error:
                print(f"assay: {feed.id}: {error}", file=sys.stderr)
                failed += 1
                continue
            print(f"assay: {feed.id}: {len(found)} records"
                  f"{'' if got.fresh else ' (not changed)'}", file=sys.stderr)  # fmt: skip
            fetched.append(refresh.Fetched(feed, found, url, got.when, got.sha256))
    if not fetched:
        print("assay: nothing was refreshed; the old database stays in use", file=sys.stderr)
        return exits.UNREACHABLE
    try:
        old = chosen()
        # only a whole refresh makes the database younger: a part of it leaves the rest as old
        base = {feed.id for feed in refresh.all_feeds().values() if not feed.refresh_only}
        whole = not failed and base <= {part.feed.id for part in fetched}
        as_of = datetime.now(UTC).date().isoformat() if whole else old.as_of
        new = refresh.merge(old, fetched, as_of=as_of)
    except (refresh.Refused, BadRecord) as error:
        print(f"assay: refused, the old database stays in use: {error}", file=sys.stderr)
        return exits.FINDINGS
    click.echo(f"{new.records} records in {keep(new)}")
    return exits.INCOMPLETE if failed else exits.CLEAN


@db.command()
@click.argument("file", type=_PATH)
@click.option("--key", type=_PATH, required=True, help="Your Ed25519 private key (PEM).")
@click.option("--advisories", "path", type=_PATH, help="Export this database instead.")
def export(file: Path, key: Path, path: Path | None) -> int:
    """Write the database as one signed file for a cluster without a network.

    Example:  assay db export advisories.signed --key site.key
    """
    from assay.advisories import exchange
    from assay.cli.advisories import chosen

    found = chosen(path)
    try:
        file.write_bytes(exchange.export(found, key.read_bytes()))
    except (exchange.BadSignature, ValueError) as error:
        raise click.UsageError(f"{key}: {error}") from error
    click.echo(f"{found.records} records of {found.as_of} in {file}")
    return exits.CLEAN


@db.command("import")
@click.argument("file", type=_PATH)
@click.option("--trust", type=_PATH, multiple=True, required=True, help="A public key (PEM).")
@click.option("--allow-older", is_flag=True, help="Also take a database older than ours.")
def take(file: Path, trust: tuple[Path, ...], allow_older: bool) -> int:
    """Take over a database that a trusted key signed; anything else is refused.

    Example:  assay db import advisories.signed --trust site.pub
    """
    from assay.advisories import exchange
    from assay.advisories.database import BadDatabase
    from assay.advisories.records import BadRecord
    from assay.cli.advisories import chosen, keep

    try:
        found = exchange.admit(file.read_bytes(), [key.read_bytes() for key in trust])
    except (exchange.BadSignature, BadDatabase, BadRecord) as error:
        print(f"assay: {file} is refused, the old database stays in use: {error}", file=sys.stderr)
        return exits.UNREACHABLE
    ours = chosen()
    if found.as_of < ours.as_of and not allow_older:
        print(f"assay: {file} is of {found.as_of}, ours of {ours.as_of}: refused", file=sys.stderr)
        return exits.UNREACHABLE
    click.echo(f"{found.records} records of {found.as_of} in {keep(found)}")
    return exits.CLEAN


@db.command()
@click.argument("name", type=_PATH)
def keygen(name: Path) -> int:
    """Make a key pair for signing exports: NAME.key stays with you, NAME.pub goes along.

    Example:  assay db keygen site
    """
    from assay.advisories.exchange import key_id, new_key

    pair = new_key()
    private, public = name.with_suffix(".key"), name.with_suffix(".pub")
    if private.exists():
        raise click.UsageError(f"{private} exists; it is not overwritten")
    private.touch(mode=0o600)
    private.write_bytes(pair.private)
    public.write_bytes(pair.public)
    click.echo(f"key {key_id(pair.public)}: {private} (keep it), {public} (give it)")
    return exits.CLEAN


@db.command()
@click.option("--advisories", "path", type=_PATH, help="Of this file instead.")
def osv(path: Path | None) -> int:
    """Print the database as OSV documents, one JSON object a line.

    Example:  assay db osv > advisories.osv.jsonl
    """
    from assay import codec
    from assay.cli.advisories import chosen
    from assay.reports.osv import documents

    for document in documents(chosen(path)):
        click.echo(codec.encode(document).decode())
    return exits.CLEAN
