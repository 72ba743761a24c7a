"""Recognising a saved output takes no time, whatever it is made of."""

import re
import time

import pytest

from assay.engine.catalogue import catalogue

READINGS = {r.name: r for p in catalogue().probes for r in p.reads if r.looks_like}
LONG = 16 * 1024
FILLS = ("\n", " ", "\t", " \n", "a", "a b ", "-", "=", "| ", "GPU", "0", '{"a":', "<a>", "x: y\n")
SLOW = 0.4  # seconds of CPU; a sound pattern takes a few milliseconds


@pytest.mark.parametrize("name", sorted(READINGS))
def test_a_pattern_is_not_quadratic(name):
    began = time.process_time()
    for fill in FILLS:
        re.search(READINGS[name].looks_like, (fill * LONG)[:LONG], re.MULTILINE)
        assert time.process_time() - began < SLOW, f"{fill!r}"
