"""Real outputs from public reports: each parses, or is unknown with a reason; none raises."""

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse

pytestmark = pytest.mark.corpus


def test_every_sample_parses_or_says_why_not(samples):
    probes = catalogue().probes
    bugs, silent = [], []
    for path in sorted(samples.glob("*.txt")):
        parsed = parse(path.read_bytes(), probes)
        bugs += [(path.name, r.error.traceback) for r in parsed.results if r.error]
        if not parsed.unknown and not any(r.facts for r in parsed.results):
            silent.append(path.name)
    assert not bugs
    assert not silent
