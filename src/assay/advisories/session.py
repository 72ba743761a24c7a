"""Which database judges, and what day it is: set once by the verb that runs, read by the checks.

Checks are pure functions of facts; the database and the day are the two other things on which an
advisory verdict depends, and both are recorded in the report. Where nobody sets them, the
database is the embedded one and the day is the database's own: nothing is stale in a self-test.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date

from assay.advisories.database import Database, embedded


@dataclass(frozen=True, slots=True)
class Session:
    """The database and the day that verdicts of now rest on."""

    database: Database
    today: date

    @property
    def stale(self) -> bool:
        """True when the database is too old to clear anything."""
        return self.database.stale(self.today)

    @property
    def age(self) -> str:
        """The database's age in words, for verdicts.

        Said in every verdict of a stale database, because notes elsewhere are not read.
        """
        days = self.database.age_days(self.today)
        if not self.stale:
            return f"advisories of {self.database.as_of}"
        return f"STALE advisories of {self.database.as_of}, {days} days old: run `assay db update`"


_current: ContextVar[Session | None] = ContextVar("assay_advisories", default=None)


def current() -> Session:
    """What judges now."""
    found = _current.get()
    if found is None:
        database = embedded()
        return Session(database, date.fromisoformat(database.as_of))
    return found


@contextmanager
def judging(database: Database | None = None, today: date | None = None) -> Iterator[Session]:
    """Judge with *database* (the embedded one by default) as of *today*."""
    chosen = database or embedded()
    session = Session(chosen, today or date.fromisoformat(chosen.as_of))
    token = _current.set(session)
    try:
        yield session
    finally:
        _current.reset(token)
