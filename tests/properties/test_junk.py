"""Replace any evidence by junk: no verdict may improve, and nothing may raise."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.demo.hosts import hosts
from assay.engine.catalogue import catalogue
from assay.engine.judge import Facts, judge
from assay.engine.plants import apply
from assay.engine.understand import Understanding, understand
from assay.kit.pack import PackError, dump, load
from assay.kit.reading import Via
from assay.model.evidence import Capture, Evidence, Status

CATALOGUE = catalogue()
READINGS = {r.source: r for p in CATALOGUE.probes for r in p.reads}

JUNK = (
    b"",
    b"\x00\xff\xfe\x7fELF\x80binary",
    b"\x1b[31mFAILED\x1b[0m\x1b]0;title\x07",
    b"<script>alert(1)</script>",
    b"Erreur : p\xc3\xa9riph\xc3\xa9rique introuvable\n",
    b"Permission denied\n",
    b"N/A\n",
    b"[]",
    b"{}",
    b'{"a": [1, {"b": null}]}',
    b"[" * 3000,
    b"<a>" * 3000,
    b"9" * 5000,
)
LOST = (Status.TIMEOUT, Status.DENIED, Status.TRUNCATED, Status.FAILED)


def junked(capture: Capture) -> list[Capture]:
    """All the ways in which one answer may be spoilt."""
    bodies = [*JUNK]
    if capture.data[:1] in (b"<", b"{", b"[", b"="):
        # A cut list of lines is a shorter list: only the transport can tell, and it does (frames).
        bodies += [capture.data[: len(capture.data) // 2], capture.data[:-2]]
    if READINGS[capture.source].via not in (Via.COMMAND, Via.SAVED):
        entries = packed(capture)
        bodies += [dump(type(e)(e.path, junk, e.status) for e in entries) for junk in JUNK]
        bodies.append(dump(type(e)(e.path, b"", "denied") for e in entries))
    spoilt = [Capture(capture.source, body, exit_code=capture.exit_code) for body in bodies]
    spoilt += [Capture(capture.source, capture.data, status, reason="lost") for status in LOST]
    spoilt.append(Capture(capture.source, b"error\n", exit_code=1, stderr="it failed"))
    return [one for one in spoilt if one.identity != capture.identity]


def packed(capture):
    """The entries of a pack; none of an answer that is none (a plant may have spoilt it)."""
    try:
        return list(load(capture.data)) if capture.status is Status.ANSWERED else []
    except PackError:
        return []


def used_by(check, evidence):
    """The captures that the verdicts of *check* may rest on."""
    kinds = {need.kind for need in check.needs.values()}
    sources = {r.source for p in CATALOGUE.probes if kinds.intersection(p.gives) for r in p.reads}
    return [capture for source, capture in evidence.captures.items() if source in sources]


def outcome(check, evidence):
    kinds = {need.kind for need in check.needs.values()}
    understanding = Understanding([p for p in CATALOGUE.probes if kinds.intersection(p.gives)])
    understanding.add(evidence)
    judgements, errors = judge([check], Facts(understanding))
    assert not [*understanding.errors, *errors]
    return judgements[0].outcome


def without_fleet(checks):
    return [check for check in checks if not check.fleet]


@pytest.mark.parametrize("check", without_fleet(CATALOGUE.checks), ids=lambda c: c.id)
def test_junk_never_improves_a_failure(check):
    for plant in check.plants:
        sick = apply(plant, hosts()[plant.host])
        assert outcome(check, sick).rank == 3
        for capture in used_by(check, sick):
            if READINGS[capture.source].source not in {e.source for e in plant.edits}:
                continue
            for spoilt in junked(capture):
                after = outcome(check, Evidence("n", {**sick.captures, capture.source: spoilt}))
                assert after.rank >= 2, (
                    f"{check.id}: fail became {after} with {spoilt.status} {spoilt.data[:60]!r}"
                    f" in {capture.source}"
                )


@pytest.mark.parametrize("probe", CATALOGUE.probes, ids=lambda p: p.id)
def test_a_parser_survives_junk(probe):
    sound = {source: c for host in hosts().values() for source, c in host.captures.items()}
    for reading in probe.reads:
        capture = sound.get(reading.source) or Capture(reading.source, b"x", exit_code=0)
        for spoilt in junked(capture):
            evidence = Evidence("n", {**sound, reading.source: spoilt})
            error = understand(probe, evidence).error
            assert error is None, f"{reading.source} {spoilt.data[:60]!r}: {error.traceback}"


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.parametrize("probe", CATALOGUE.probes, ids=lambda p: p.id)
@given(data=st.data())
def test_a_parser_survives_random_edits(probe, data):
    sound = {source: c for host in hosts().values() for source, c in host.captures.items()}
    reading = data.draw(st.sampled_from(probe.reads))
    capture = sound.get(reading.source) or Capture(reading.source, b"", exit_code=0)
    body = bytearray(capture.data)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(body)))
        length = data.draw(st.integers(0, 40))
        body[at : at + length] = data.draw(st.binary(max_size=30) | st.sampled_from(JUNK[:12]))
    spoilt = Capture(reading.source, bytes(body), exit_code=data.draw(st.sampled_from([0, 1, 9])))
    error = understand(probe, Evidence("n", {**sound, reading.source: spoilt})).error
    assert error is None, error.traceback
