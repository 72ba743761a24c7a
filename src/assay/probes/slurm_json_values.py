"""Single values of Slurm's JSON, in every shape that its data parsers gave them."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any

from assay.probes.pasted import real, words
from assay.probes.slurm_words import split_list, stamp


def mapping(found: Any) -> Mapping[str, Any]:
    """*found* if it is an object, else an empty one."""
    return found if isinstance(found, dict) else {}


def listed(found: Any) -> Sequence[Any]:
    """*found* if it is an array, else an empty one."""
    return found if isinstance(found, list) else ()


def amount(found: Any) -> float | None:
    """A number, also ``{"set": .., "infinite": .., "number": ..}``; None where it is not set."""
    if isinstance(found, dict):
        if found.get("infinite") is True:
            return inf
        return real(found.get("number")) if found.get("set", True) is True else None
    return real(found)


def count(found: Any) -> int | None:
    """A whole number from zero up."""
    value = amount(found)
    return (
        int(value) if value is not None and value >= 0 and value != inf and value % 1 == 0 else None
    )


def text(found: Any) -> str:
    """A text; "" where it is null or something else."""
    return words(found) if isinstance(found, str | int | float) else ""


def items(found: Any) -> tuple[str, ...]:
    """A list of texts, also one text with commas."""
    if isinstance(found, str):
        return tuple(split_list(found))
    return tuple(text(one) for one in listed(found) if text(one))


def when(found: Any) -> str:
    """A time in seconds since 1970 as UTC."""
    value = amount(found)
    return stamp(value) if value is not None else ""


def first(record: Mapping[str, Any], *keys: str) -> Any:
    """The value of the first of *keys* that is there: data parsers renamed some."""
    return next((record[key] for key in keys if record.get(key) is not None), None)


def limit(found: Any) -> float | None:
    """A time limit; a text limit such as "UNLIMITED" is infinite."""
    if isinstance(found, str) and found.strip().upper() in ("UNLIMITED", "INFINITE"):
        return inf
    return amount(found)


def exit_code(found: Any) -> str:
    """``status:signal``, as Slurm's tables print it."""
    if isinstance(found, dict):
        code = count(found.get("return_code"))
        signal = mapping(found.get("signal"))
        number = count(first(signal, "id", "signal_id"))
        return "" if code is None else f"{code}:{number or 0}"
    value = count(found)
    # the wait status of old versions: exit code in the high byte
    return "" if value is None else f"{value >> 8}:{value & 127}"


def resources(found: Any) -> str:
    """Trackable resources as ``cpu=4,gres/gpu=8``, from their list form too."""
    return ",".join(_resources(found)) if not isinstance(found, str) else text(found)


def _resources(found: Any) -> Iterator[str]:
    for one in listed(found):
        record = mapping(one)
        kind, name, number = text(record.get("type")), text(record.get("name")), record.get("count")
        if kind and count(number) is not None:
            yield f"{kind}{'/' + name if name else ''}={count(number)}"
