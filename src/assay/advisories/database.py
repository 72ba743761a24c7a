"""The advisory database: one file, a table per component, each read only when it is asked for.

    ASSAY-ADVISORIES 1\\n
    {header as one line of JSON}\\n
    table of component 1 | table of component 2 | ...      each zlib over JSON columns

The header names every table's place, length and SHA-256, every source with its licence, date and
hash, and what day the whole is of. The database's own hash is over the header, so it covers all.
"""

import gc
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from assay.advisories import records
from assay.model.advisory import Advisory

MAGIC = b"ASSAY-ADVISORIES 1\n"
SCHEMA = 1
STALE_DAYS = 30  # vendors publish monthly bulletins: after that one is surely missing
_LARGEST = 256 << 20  # a table larger than this is no advisory table


class BadDatabase(ValueError):
    """The bytes are not a database that this version can trust."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where records come from. ``sha256`` is of the bytes that were read, ``when`` their date."""

    id: str
    url: str = ""
    licence: str = ""
    when: str = ""
    sha256: str = ""
    records: int = 0


@dataclass(frozen=True, slots=True)
class _Table:
    offset: int
    length: int
    count: int
    sha256: str


@dataclass(slots=True)
class Database:
    """Advisories by component. Tables are unpacked and checked once, when first asked for."""

    as_of: str
    sources: tuple[Source, ...]
    sha256: str
    _data: bytes = field(repr=False)
    _tables: Mapping[str, _Table] = field(repr=False)
    _read: dict[str, tuple[Advisory, ...]] = field(default_factory=dict, repr=False)

    @property
    def components(self) -> tuple[str, ...]:
        """Every component that has a table."""
        return tuple(self._tables)

    @property
    def records(self) -> int:
        """How many records there are."""
        return sum(table.count for table in self._tables.values())

    def count(self, component: str) -> int:
        """How many records *component* has."""
        table = self._tables.get(component)
        return table.count if table else 0

    def of(self, component: str) -> tuple[Advisory, ...]:
        """The advisories of one component, in order of id."""
        found = self._read.get(component)
        if found is None:
            table = self._tables.get(component)
            found = self._read[component] = self._unpack(component, table) if table else ()
        return found

    def find(self, id: str) -> tuple[Advisory, ...]:
        """Every record that has *id* as its id or as an alias."""
        wanted = id.strip().upper()
        return tuple(
            record
            for component in self.components
            for record in self.of(component)
            if wanted == record.id.upper() or any(wanted == a.upper() for a in record.aliases)
        )

    def all(self) -> Iterable[Advisory]:
        """Every record."""
        for component in self.components:
            yield from self.of(component)

    def age_days(self, today: date) -> int:
        """How old the newest knowledge in it is."""
        return (today - date.fromisoformat(self.as_of)).days

    def stale(self, today: date) -> bool:
        """True when something has surely been published since."""
        return self.age_days(today) > STALE_DAYS

    def dump(self) -> bytes:
        """The whole file."""
        return self._data

    def _unpack(self, component: str, table: _Table) -> tuple[Advisory, ...]:
        packed = self._data[table.offset : table.offset + table.length]
        if hashlib.sha256(packed).hexdigest() != table.sha256:
            raise BadDatabase(f"the table of {component} does not have the hash in the header")
        unpacker = zlib.decompressobj()
        collecting = gc.isenabled()
        gc.disable()  # a table is 10,000 small values and no cycle: collecting costs a quarter
        try:
            text = unpacker.decompress(packed, _LARGEST)
            found = records.from_columns(component, json.loads(text))
        except (zlib.error, ValueError, KeyError, TypeError) as error:
            raise BadDatabase(f"the table of {component} cannot be read: {error}") from error
        finally:
            if collecting:
                gc.enable()
        if unpacker.unconsumed_tail or len(found) != table.count:
            raise BadDatabase(f"the table of {component} is not what the header says")
        return found


def build(advisories: Iterable[Advisory], *, as_of: str, sources: Sequence[Source]) -> Database:
    """A database of *advisories*, each validated. Same input, same bytes."""
    date.fromisoformat(as_of)
    tables: dict[str, list[Any]] = {}
    body = bytearray()
    for component, group in records.group(advisories).items():
        seen: set[str] = set()
        for record in group:
            if record.id in seen:
                raise records.BadRecord(f"{component} {record.id} is there twice")
            seen.add(records.validate(record).id)
        text = json.dumps(records.to_columns(group), separators=(",", ":"), ensure_ascii=False)
        packed = zlib.compress(text.encode(), 9)
        digest = hashlib.sha256(packed).hexdigest()
        tables[component] = [len(body), len(packed), len(group), digest]
        body += packed
    header = {
        "schema": SCHEMA,
        "as_of": as_of,
        "sources": [
            {k: v for k, v in _source_json(s).items() if v} for s in sorted(sources, key=_by_id)
        ],
        "tables": tables,
    }
    line = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    return load(MAGIC + line + bytes(body))


def _by_id(source: Source) -> str:
    return source.id


def _source_json(source: Source) -> dict[str, Any]:
    return {
        "id": source.id, "url": source.url, "licence": source.licence,
        "when": source.when, "sha256": source.sha256, "records": source.records,
    }  # fmt: skip


def load(data: bytes) -> Database:
    """Read the header; the tables wait. Anything but a whole database is BadDatabase."""
    if not data.startswith(MAGIC[:17]):
        raise BadDatabase("this is not an advisory database")
    if not data.startswith(MAGIC):
        raise BadDatabase("this database has a future form: update Assay to read it")
    end = data.find(b"\n", len(MAGIC))
    if end < 0:
        raise BadDatabase("the header is cut short")
    line = data[len(MAGIC) : end]
    try:
        header = json.loads(line)
        if header["schema"] != SCHEMA:
            raise BadDatabase(f"schema {header['schema']!r}, this version of Assay reads {SCHEMA}")
        date.fromisoformat(header["as_of"])
        start = end + 1
        tables = {
            name: _Table(start + int(offset), int(length), int(count), str(digest))
            for name, (offset, length, count, digest) in header["tables"].items()
        }
        sources = tuple(Source(**source) for source in header["sources"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, BadDatabase):
            raise
        raise BadDatabase(f"the header makes no sense: {error}") from error
    if sum(table.length for table in tables.values()) != len(data) - start:
        raise BadDatabase("the file is cut short or has something behind its end")
    return Database(header["as_of"], sources, hashlib.sha256(line).hexdigest(), data, tables)


def verify(database: Database) -> None:
    """Unpack and validate every record; BadDatabase or BadRecord at the first that is wrong."""
    for component in database.components:
        for record in database.of(component):
            records.validate(record)


@cache
def embedded() -> Database:
    """The database that came with this version of Assay."""
    return load((files("assay.advisories.data") / "advisories.db").read_bytes())
