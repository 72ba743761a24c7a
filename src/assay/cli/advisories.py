"""The advisory database that a verb judges with: the user's newest, or the embedded one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from assay.advisories import database, session
from assay.advisories.database import BadDatabase, Database
from assay.advisories.session import Session
from assay.cli import places


def folder() -> Path:
    """The user's folder for advisories: ``$XDG_STATE_HOME/assay/advisories``."""
    return places.state() / "advisories"


def installed() -> Path:
    """Where an updated or imported database is kept."""
    return folder() / "advisories.db"


def chosen(path: Path | None = None) -> Database:
    """The database in *path*; else the user's own if it is newer than the embedded one.

    One that cannot be trusted is said on stderr, and the embedded one judges.
    """
    if path is not None:
        try:
            return database.load(path.read_bytes())
        except (BadDatabase, OSError) as error:
            raise click.UsageError(f"{path}: {error}") from error
    embedded = database.embedded()
    try:
        own = installed()
    except click.UsageError:  # no home: then nothing is kept there either
        return embedded
    if not own.is_file():
        return embedded
    try:
        found = database.load(own.read_bytes())
    except (BadDatabase, OSError) as error:
        print(f"assay: {own} is refused ({error}); the embedded advisories judge", file=sys.stderr)
        return embedded
    return found if found.as_of >= embedded.as_of else embedded


@contextmanager
def judging(path: Path | None = None) -> Iterator[Session]:
    """Judge with the chosen database as of today. Every verb that judges wraps itself in this."""
    with session.judging(chosen(path), datetime.now(UTC).date()) as now:
        yield now


def keep(found: Database) -> Path:
    """Make *found* the user's database; the one before stays beside it as ``.old``."""
    path = installed()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_suffix(".new")
    temporary.write_bytes(found.dump())
    database.verify(database.load(temporary.read_bytes()))
    if path.is_file():
        path.replace(path.with_suffix(".old"))
    temporary.replace(path)
    return path
