"""Records: advisories to and from the compact columns of the database, and their validation."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import date
from typing import Any

from assay.advisories.components import component
from assay.advisories.versions import BadVersion, parse, scheme
from assay.model.advisory import Advisory, Range
from assay.model.outcome import Severity

_ID = re.compile(
    r"CVE-\d{4}-\d{4,}|GO-\d{4}-\d+|GHSA(?:-[0-9a-z]{4}){3}|ASY-\d{4}-\d{4}|[A-Z]{2,}-[\w:.-]+"
)
_NAME = re.compile(r"[a-z0-9][a-z0-9+._\-]*(?:/[a-z0-9+._\-]+)?")
_MARK = "\x01"  # stands for the record's id inside its own links: links then compress to nothing
COLUMNS = tuple(f.name for f in fields(Advisory) if f.name != "component")
_LISTS = frozenset(f.name for f in fields(Advisory) if str(f.type).startswith("tuple[str"))


class BadRecord(ValueError):
    """A record that no reader should trust: it is refused, with the reason."""


def scheme_of(name: str) -> str:
    """How versions in advisories of *name* count. ``debian/runc`` holds Debian's own records."""
    family = name.partition("/")[0] if "/" in name else ""
    if family in ("debian", "ubuntu"):
        return "deb"
    if family in ("redhat", "suse", "amazon"):
        return "rpm"
    return component(name).scheme


def validate(record: Advisory) -> Advisory:
    """*record* itself, or BadRecord with what is wrong with it."""
    where = f"{record.component} {record.id}"
    if _NAME.fullmatch(record.component) is None:
        raise BadRecord(f"{where}: {record.component!r} is not a component name")
    if _ID.fullmatch(record.id) is None:
        raise BadRecord(f"{where}: {record.id!r} is not an advisory id")
    if not record.title.strip() or not record.sources:
        raise BadRecord(f"{where}: it has no title or no source")
    for link in (record.url, *record.references):
        if link and not link.startswith("https://"):
            raise BadRecord(f"{where}: {link!r} is not an https link")
    if record.cvss is not None and not 0 <= record.cvss <= 10:
        raise BadRecord(f"{where}: CVSS {record.cvss} is outside 0 to 10")
    for stamp in (record.published, record.exploited_since):
        if stamp:
            _date(stamp, where)
    name = scheme_of(record.component)
    for row in record.ranges:
        _validate_range(row, name, where)
    return record


def _date(stamp: str, where: str) -> date:
    try:
        return date.fromisoformat(stamp)
    except ValueError as error:
        raise BadRecord(f"{where}: {stamp!r} is not a date") from error


def _validate_range(row: Range, name: str, where: str) -> None:
    bounds = {}
    for field in ("introduced", "fixed", "last_affected", "below_major"):
        text = getattr(row, field)
        if text and text != "0":
            try:
                bounds[field] = parse(name, text)
            except BadVersion as error:
                raise BadRecord(f"{where}: {field} {error} (scheme {name})") from error
    low, high = bounds.get("introduced"), bounds.get("fixed")
    if low and high and high.before(low):
        raise BadRecord(f"{where}: fixed {row.fixed} comes before introduced {row.introduced}")


def sha256(record: Advisory) -> str:
    """The hash of one record: SHA-256 over its canonical JSON."""
    plain = {name: _plain(getattr(record, name)) for name in ("component", *COLUMNS)}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Severity) else value


def to_columns(records: Sequence[Advisory]) -> dict[str, list[Any]]:
    """Columns of equal length; a column in which nobody says anything is left out."""
    columns: dict[str, list[Any]] = {}
    for name in COLUMNS:
        values = [_packed(getattr(record, name), record.id) for record in records]
        if any(values):
            columns[name] = values
    return columns


def _packed(value: Any, id: str) -> Any:
    if isinstance(value, str):
        return value.replace(id, _MARK) if value != id else value
    if isinstance(value, tuple) and value and isinstance(value[0], Range):
        return [_row(row) for row in value]
    if isinstance(value, tuple):
        return [_packed(item, id) for item in value] or 0
    if isinstance(value, bool):
        return int(value)
    return value if value is not None else 0


def _row(row: Range) -> list[Any]:
    """A range as a list without its empty tail."""
    values: list[Any] = [list(v) if isinstance(v, tuple) else v for v in row]
    values = [v or 0 if not isinstance(v, bool) else int(v) for v in values]
    while values and not values[-1]:
        values.pop()
    return values


def from_columns(name: str, columns: Mapping[str, Sequence[Any]]) -> tuple[Advisory, ...]:
    """The records of one component; foreign columns of a newer minor version are ignored.

    Column by column, because a table of 2,000 records is read on every run.
    """
    ids = columns["id"]
    filled = [_column(column, columns.get(column), ids) for column in COLUMNS]
    names = [name] * len(ids)
    return tuple(map(Advisory, names, *filled))


def _column(  # noqa: PLR0911 - one return for each kind of column
    column: str, values: Sequence[Any] | None, ids: Sequence[str]
) -> Iterable[Any]:
    if values is None:
        return [_EMPTY[column]] * len(ids)
    if len(values) != len(ids):
        raise ValueError(f"column {column} has {len(values)} rows, expected {len(ids)}")
    if column == "ranges":
        return [tuple([_range(row) for row in rows or ()]) for rows in values]
    if column in _LISTS:
        return [
            tuple([v.replace(_MARK, id) for v in value]) if value else ()
            for value, id in zip(values, ids, strict=True)
        ]
    if column == "severity":
        return [_SEVERITIES[value] for value in values]
    if column == "cvss":
        return [value or None for value in values]
    if column == "exploited":
        return [value == 1 for value in values]
    if column == "proofs":
        return values
    return [
        value.replace(_MARK, id) if value else "" for value, id in zip(values, ids, strict=True)
    ]


_SEVERITIES: dict[Any, Severity | None] = {0: None, **{str(s): s for s in Severity}}
_EMPTY: dict[str, Any] = {f.name: f.default for f in fields(Advisory) if f.default is not MISSING}
_RANGE_EMPTY = tuple(Range())


def _range(values: list[Any]) -> Range:
    if len(values) == 6:  # the usual row: introduced, fixed, -, -, branch, inside
        introduced, fixed, last, below, branch, inside = values
        return Range(introduced or "", fixed or "", last or "", below or "", branch, inside == 1)
    filled: list[Any] = [v or e for v, e in zip(values, _RANGE_EMPTY, strict=False)]
    if len(values) > 6:
        filled[6:] = [tuple(v) if isinstance(v, list) else v for v in filled[6:]]
        filled[5] = filled[5] == 1
    return Range(*filled)


def group(records: Iterable[Advisory]) -> dict[str, list[Advisory]]:
    """Records by component, each in order of id."""
    found: dict[str, list[Advisory]] = {}
    for record in sorted(records, key=lambda r: (r.component, r.id)):
        found.setdefault(record.component, []).append(record)
    return found


__all__ = [
    "BadRecord", "from_columns", "group", "scheme", "scheme_of", "sha256", "to_columns", "validate",
]  # fmt: skip
