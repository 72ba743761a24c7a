"""Whatever a node prints, these parsers give facts or say why not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.demo.hosts import hosts
from assay.engine.catalogue import catalogue
from assay.engine.understand import understand
from assay.model.evidence import Capture, Evidence, Status

AREAS = ("software.", "security.", "containers.")
PROBES = [probe for probe in catalogue().probes if probe.id.startswith(AREAS)]
SOUND = [
    (probe, host, reading.source)
    for probe in PROBES
    for host in hosts().values()
    for reading in probe.reads
    if reading.source in host.captures and host.captures[reading.source].data
]


def holds(probe, host, source, data, **more):
    captures = dict(host.captures)
    captures[source] = Capture(source, data, **({"exit_code": 0} | more))
    found = understand(probe, Evidence("n", captures))
    assert found.error is None, found.error.traceback


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: p.id)
def test_a_reading_that_failed_is_no_bug_of_ours(probe):
    for status in Status:
        for code in (0, 1, 127):
            captures = {
                r.source: Capture(r.source, b"", status, exit_code=code) for r in probe.reads
            }
            assert understand(probe, Evidence("n", captures)).error is None


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SOUND), st.data())
def test_a_cut_or_edited_answer_is_no_bug_of_ours(which, data):
    probe, host, source = which
    whole = host.captures[source].data
    at = data.draw(st.integers(0, len(whole)))
    holds(probe, host, source, whole[:at])
    junk = data.draw(st.binary(min_size=1, max_size=8))
    holds(probe, host, source, whole[:at] + junk + whole[at + len(junk) :])
    holds(probe, host, source, whole.replace(whole[at : at + 3], junk) if whole[at:] else junk)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(PROBES), st.one_of(st.binary(), st.text().map(str.encode)))
def test_junk_is_no_bug_of_ours(probe, junk):
    for reading in probe.reads:
        captures = {reading.source: Capture(reading.source, junk, exit_code=0)}
        assert understand(probe, Evidence("n", captures)).error is None
