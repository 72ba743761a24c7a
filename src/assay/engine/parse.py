"""One saved tool output into facts: which source is it, and what do its parsers make of it?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.engine.understand import Understood, understand
from assay.kit.pack import Entry, PackError, dump, load
from assay.kit.probe import Probe
from assay.kit.reading import Reading, Via
from assay.model.evidence import Capture, Evidence

LOOKED_AT = 64 * 1024  # bytes in which a source is recognised


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a saved output turned out to be. ``unknown`` says why there are no facts."""

    source: str
    results: tuple[Understood, ...]
    unknown: str = ""


def readings(probes: Sequence[Probe]) -> dict[str, Reading]:
    """Every reading by the name that ``--as`` takes."""
    return {reading.name: reading for probe in probes for reading in probe.reads}


def recognise(data: bytes, probes: Sequence[Probe]) -> list[Reading]:
    """The readings whose outputs look like *data*; the most telling match first.

    A longer matched text is the better evidence for a source.
    """
    head = data[:LOOKED_AT].decode("utf-8", "replace")
    found: list[tuple[int, Reading]] = []
    for reading in readings(probes).values():
        match = re.search(reading.looks_like, head, re.MULTILINE) if reading.looks_like else None
        if match:
            found.append((match.end() - match.start(), reading))
    return [reading for _, reading in sorted(found, key=lambda f: (-f[0], f[1].name))]


def parse(data: bytes, probes: Sequence[Probe], *, name: str = "", path: str = "") -> Parsed:
    """Parse *data* as the source called *name*, or as what it looks like.

    Where several sources look alike, the first one that gives facts is taken.
    """
    if name:
        known = readings(probes)
        exact = known.get(name) or next((r for r in known.values() if r.source == name), None)
        if exact is None:
            return Parsed("", (), f"no source is called {name!r}; see `assay probes --sources`")
        candidates = [exact]
    else:
        candidates = recognise(data, probes)
    if not candidates:
        why = "it is empty" if not data.strip() else "it looks like no output that Assay knows"
        return Parsed("", (), why)
    tried = [_as(reading, data, probes, path) for reading in candidates]
    return next((parsed for parsed in tried if not parsed.unknown), tried[0])


def _as(reading: Reading, data: bytes, probes: Sequence[Probe], path: str) -> Parsed:
    capture = Capture(reading.source, _pack(reading, data, path), exit_code=0)
    evidence = Evidence("saved", {reading.source: capture})
    results = tuple(_understood(reading, evidence, probes))
    if any(result.facts for result in results):
        return Parsed(reading.source, results)
    reasons = [result.unread for result in results if result.unread]
    return Parsed(reading.source, results, "; ".join(reasons) or "it holds no facts")


def _understood(
    reading: Reading, evidence: Evidence, probes: Sequence[Probe]
) -> Iterator[Understood]:
    for probe in probes:
        if reading.source in (r.source for r in probe.reads):
            yield understand(probe, evidence)


def _pack(reading: Reading, data: bytes, path: str) -> bytes:
    """A single saved file stands for its pack, unless it already is one."""
    if reading.via not in (Via.FILES, Via.LISTING, Via.LINKS):
        return data
    try:
        if next(iter(load(data)), None) is not None:
            return data
    except PackError:
        pass
    return dump([Entry(path or reading.glob, data)])
