"""A run in one SQLite file: what was read, byte for byte, and what was concluded from it.

Layout (schema 1). ``blob`` holds compressed bytes by their SHA-256. ``record`` is append-only and
chained: each row's hash covers the row before it, so nothing can be changed, dropped or put in
between unnoticed. Kinds of records, in the order in which they appear:

    run     what is being read, with which version and rules
    answer  one distinct answer to one reading: source, status, exit code, SHA-256 of its bytes
    read    a node and the numbers of the answers that it gave, with milliseconds
    node    how far the reading of a node went
    report  SHA-256 of the report as JSON (a blob)
    end     nothing follows; without it the bundle is incomplete

The file is 0600, is never overwritten, and opens again after kill -9 at any moment.
"""

import hashlib
import sqlite3
from pathlib import Path
from types import TracebackType

APPLICATION_ID = 0x41535359  # "ASSY"
SCHEMA_VERSION = 1

TABLES = {
    "blob": "CREATE TABLE blob (sha256 BLOB PRIMARY KEY, size INTEGER NOT NULL, data BLOB NOT NULL)"
    " STRICT, WITHOUT ROWID",
    "record": "CREATE TABLE record (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
    " body TEXT NOT NULL, hash BLOB NOT NULL) STRICT",
}


class BundleError(Exception):
    """A bundle that cannot be made, or that is not what it says it is."""


class CannotWrite(BundleError):
    """A bundle that cannot be kept: no room, no permission, or something is there already."""


def link(before: bytes, kind: str, body: str) -> bytes:
    """The hash of a record that follows *before* in the chain."""
    return hashlib.sha256(before + kind.encode() + b"\0" + body.encode()).digest()


class guarded:  # noqa: N801 - reads as a statement
    """Turn what SQLite complains about (full disk, foreign file) into one clear sentence."""

    def __init__(self, path: Path, error: type[BundleError] = BundleError) -> None:
        self.path = path
        self.error = error

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # UnicodeDecodeError: SQLite quotes damaged names in its own message
        if isinstance(error, (sqlite3.Error, OSError, UnicodeDecodeError)):
            said = str(error)
            if "not a database" in said:
                raise self.error(f"{self.path} is not an Assay bundle") from error
            raise self.error(f"{self.path}: {said}") from error
