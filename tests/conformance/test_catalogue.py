"""Every declaration in the catalogue keeps the house rules."""

import re

import pytest

from assay.demo.hosts import hosts
from assay.engine.catalogue import catalogue
from assay.engine.plants import prove

CATALOGUE = catalogue()
ID = re.compile(r"[a-z][a-z0-9]*\.[a-z0-9]+(-[a-z0-9]+)*")


@pytest.mark.parametrize("check", CATALOGUE.checks, ids=lambda c: c.id)
def test_a_check_says_what_a_reader_needs(check):
    assert ID.fullmatch(check.id), "area.kebab-name"
    assert check.asks.endswith("?")
    assert check.why.endswith(".")
    assert check.fix.endswith(".")
    assert check.see, "at least one link"
    assert all(link.startswith(("https://", "CVE-", "CWE-")) for link in check.see)
    assert check.reproduce
    assert check.plants, "a check without a positive control is not a check"
    assert (check.judge.__doc__ or "").strip()


@pytest.mark.parametrize("check", CATALOGUE.checks, ids=lambda c: c.id)
def test_a_check_passes_the_sound_host_and_fails_the_planted_one(check):
    for proof in prove([check], CATALOGUE.probes, hosts()):
        assert proof.holds, f"{proof.plant}: {proof.sound} -> {proof.planted}: {proof.because}"


@pytest.mark.parametrize("probe", CATALOGUE.probes, ids=lambda p: p.id)
def test_a_probe_says_what_it_is(probe):
    assert ID.fullmatch(probe.id)
    assert probe.summary.endswith(".")
    assert probe.reads


def test_reading_names_are_unique():
    named = {}
    for probe in CATALOGUE.probes:
        for reading in probe.reads:
            assert named.setdefault(reading.name, reading) == reading


def test_every_fact_that_a_check_needs_is_given_by_a_probe():
    given = {kind for probe in CATALOGUE.probes for kind in probe.gives}
    for check in CATALOGUE.checks:
        for need in check.needs.values():
            assert need.kind in given, f"{check.id} needs {need.kind.__name__}"
