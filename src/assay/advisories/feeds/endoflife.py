"""endoflife.date: when branches of distributions, Kubernetes, containerd and others end."""

import json
import re
from collections.abc import Iterator

from assay.advisories.feeds.feed import BadFeed, words
from assay.model.advisory import Lifecycle

URLS = {
    product: f"https://endoflife.date/api/{product}.json"
    for product in ("ubuntu", "debian", "rhel", "linux", "kubernetes", "containerd",
                    "docker-engine", "nvidia-driver")
}  # fmt: skip


def parse(data: bytes, product: str) -> Iterator[Lifecycle]:
    """Every cycle of *product* that has an end; ``false`` means "not announced" and is no end."""
    try:
        given = json.loads(data)
    except ValueError as error:
        raise BadFeed(f"the cycles of {product} are not JSON: {error}") from error
    if not isinstance(given, list) or not given:
        raise BadFeed(f"the cycles of {product} are not a list")
    for row in given:
        if not isinstance(row, dict) or not words(row, "cycle"):
            raise BadFeed(f"a cycle of {product} has no name")
        ends = words(row, "eol")
        if re.fullmatch(r"\d{4}-\d\d-\d\d", ends):
            yield Lifecycle(product, words(row, "cycle"), ends, f"https://endoflife.date/{product}")
        elif not isinstance(row.get("eol"), bool):
            raise BadFeed(f"{product} {words(row, 'cycle')}: {row.get('eol')!r} is no end of life")
