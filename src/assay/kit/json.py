"""Read JSON that a node printed, defensively: right shapes or Unread."""

import json
from typing import Any

from assay.kit.seen import Unread


def value(text: str, what: str) -> Any:
    """The JSON value in *text*; junk is Unread."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unread(f"{what} is not JSON: {error}") from error


def mapping(found: object, what: str) -> dict[str, Any]:
    """*found* if it is an object, else Unread."""
    if not isinstance(found, dict):
        raise Unread(f"{what} is not a JSON object but {type(found).__name__}")
    return found


def sequence(found: object, what: str) -> list[Any]:
    """*found* if it is an array, else Unread."""
    if not isinstance(found, list):
        raise Unread(f"{what} is not a JSON array but {type(found).__name__}")
    return found
