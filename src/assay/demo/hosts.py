"""The reference hosts: sound machines on which every check passes until a fault is planted.

Each host is a package beside this file; every module in it that has ``captures()`` contributes
the answers of its area. A host is what a real one of its kind would say, written by hand.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from assay.kit.pack import Entry, dump
from assay.kit.reading import Reading
from assay.model.evidence import Capture, Evidence, Status

HOSTS = {"hgx-h100": "assay.demo.hgx_h100", "mi300x": "assay.demo.mi300x"}


def answer(reading: Reading, text: str, *, exit_code: int = 0) -> Capture:
    """What a command printed."""
    return Capture(reading.source, text.encode(), exit_code=exit_code)


def pack(reading: Reading, files: Mapping[str, str]) -> Capture:
    """What the files (or listings, or links) that match a glob held, by path."""
    entries = [Entry(path, text.encode()) for path, text in sorted(files.items())]
    return Capture(reading.source, dump(entries))


def absent(reading: Reading) -> Capture:
    """We looked, and it is not there."""
    return Capture(reading.source, status=Status.ABSENT)


@cache
def host(name: str) -> Evidence:
    """The sound reference host called *name*."""
    package = importlib.import_module(HOSTS[name])
    captures: dict[str, Capture] = {}
    for found in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        module = importlib.import_module(found.name)
        for capture in module.captures() if hasattr(module, "captures") else ():
            if capture.source in captures:
                raise ValueError(f"{name}: two modules answer {capture.source!r}")
            captures[capture.source] = capture
    return Evidence(name, captures)


def hosts() -> dict[str, Evidence]:
    """All of them."""
    return {name: host(name) for name in HOSTS}
