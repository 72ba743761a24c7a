"""Serialisation lives here and nowhere else: values to JSON and back, and their schema.

Additive changes only: a reader of ``assay.report/1`` ignores what it does not know.
"""

import dataclasses
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from assay.engine.parse import Parsed
from assay.model.fact import Fact
from assay.model.report import SCHEMA, Report

T = TypeVar("T")

_encoder = msgspec.json.Encoder(enc_hook=str)


class CodecError(ValueError):
    """These bytes are not what they should be."""


def encode(value: object) -> bytes:
    """*value* as compact JSON in UTF-8. Text that is not valid Unicode is escaped, not refused."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_printable(msgspec.to_builtins(value, enc_hook=str)))


def pretty(value: object) -> str:
    """*value* as indented JSON for a person or a pipe."""
    return msgspec.json.format(encode(value), indent=2).decode()


def decode(data: bytes | str, kind: type[T]) -> T:
    """A value of *kind* from JSON; anything else raises :class:`CodecError` with the place."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CodecError(f"not a valid {kind.__name__}: {error}") from error


def report(data: bytes) -> Report:
    """A stored report; one of a newer schema is refused."""
    schema = decode(data, dict[str, Any]).get("schema")
    if schema != SCHEMA:
        raise CodecError(f"the report's schema is {schema!r}; this Assay reads {SCHEMA!r}")
    return decode(data, Report)


def report_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a report."""
    schema = msgspec.json.schema(Report)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA, **schema}


def fact(value: Fact) -> dict[str, Any]:
    """One fact as a mapping that names its kind."""
    return {"kind": type(value).__name__, **_fields(value)}


def parsed(result: Parsed) -> dict[str, Any]:
    """What ``assay probes parse --json`` prints."""
    return {
        "source": result.source or None,
        "unknown": result.unknown or None,
        "facts": [fact(f) for understood in result.results for f in understood.facts],
        "notes": [u.unread for u in result.results if u.unread and u.unread != result.unknown],
    }


def facts(values: Iterable[Fact]) -> list[dict[str, Any]]:
    """Many facts, in order."""
    return [fact(value) for value in values]


def _fields(value: Fact) -> dict[str, Any]:
    return {
        f.name: msgspec.to_builtins(getattr(value, f.name), enc_hook=str)
        for f in dataclasses.fields(value)  # type: ignore[arg-type]
    }


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_printable(k): _printable(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_printable(v) for v in value]
    return value
