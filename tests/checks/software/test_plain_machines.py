"""A plain virtual machine is not told about GPUs, and junk never makes a verdict better."""

import random

import pytest

from assay.demo.hosts import hosts
from assay.engine.catalogue import catalogue
from assay.engine.judge import Facts, judge
from assay.engine.plants import apply
from assay.engine.understand import Understanding
from assay.kit.pack import Entry, dump
from assay.model.evidence import Capture, Evidence, Status
from assay.model.outcome import Outcome
from assay.probes import pci, users

AREAS = ("software.", "security.", "containers.")
CHECKS = [check for check in catalogue().checks if check.id.startswith(AREAS)]


def judged(evidence, checks=CHECKS):
    kinds = {need.kind for check in checks for need in check.needs.values()}
    understanding = Understanding([p for p in catalogue().probes if kinds & set(p.gives)])
    understanding.add(evidence)
    judgements, errors = judge(checks, Facts(understanding))
    assert not errors
    return {judgement.check: judgement.outcome for judgement in judgements}


def test_a_plain_virtual_machine_gets_no_failures():
    captures = {
        r.source: Capture(r.source, status=Status.ABSENT)
        for r in catalogue().readings(on_request=True)
    }
    passwd = dump([Entry("/etc/passwd", b"root:x:0:0:root:/root:/bin/bash\n")])
    functions = dump(
        [Entry("/sys/bus/pci/devices/0000:00:03.0/uevent",
               b"DRIVER=virtio-pci\nPCI_CLASS=20000\nPCI_ID=1AF4:1000\n")]
    )  # fmt: skip
    captures[users.PASSWD.source] = Capture(users.PASSWD.source, passwd)
    captures[pci.FUNCTIONS.source] = Capture(pci.FUNCTIONS.source, functions)
    found = judged(Evidence("vm", captures))
    assert [id for id, outcome in found.items() if outcome is Outcome.FAIL] == []
    unknown = {id for id, outcome in found.items() if outcome is Outcome.UNKNOWN}
    assert unknown <= {"security.listening-ports", "security.bmc-device"}, "no ps, no ss"


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.id)
def test_junk_in_a_reading_never_hides_a_planted_fault(check):
    if check.fleet:
        pytest.skip("a fleet check compares several nodes")
    dice = random.Random(check.id)
    given = {need.kind for need in check.needs.values()}
    sources = {
        reading.source
        for probe in catalogue().probes
        if given & set(probe.gives)
        for reading in probe.reads
    }
    for plant in check.plants:
        sick = apply(plant, hosts()[plant.host])
        for source in sorted(sources & sick.captures.keys()):
            whole = sick.captures[source].data
            if not whole:
                continue
            # An empty pack is how "no such file" looks: only what is there can be junk.
            cut = whole[: dice.randrange(1, len(whole))]
            for data in (cut, b"\x00\xff junk", b"Error: no such thing\n"):
                changed = {**sick.captures, source: Capture(source, data, exit_code=0)}
                after = judged(Evidence("n", changed), [check])[check.id]
                assert after is not Outcome.PASS, f"{source} = {data[-40:]!r}"
