"""What leaves a node redacted means the same: no verdict and no fact but identities change."""

import dataclasses
from collections import Counter
from functools import cache

import pytest

from assay.collector.files import Pack
from assay.collector.identities import Redactor
from assay.demo.hosts import hosts
from assay.engine.catalogue import catalogue
from assay.engine.judge import Facts, judge
from assay.engine.parse import parse
from assay.engine.plants import apply
from assay.engine.understand import Understanding
from assay.kit.pack import PackError, load
from assay.kit.reading import Via
from assay.model.evidence import Capture, Evidence

PEOPLE = {b"alice": b"/home/alice", b"bob": b"/home/bob"}
# Fields that hold what redaction is there to hide.
IDENTITIES = {"uuid", "guid", "gids", "mac", "id", "card", "device", "node", "peer", "cluster",
              "mount_point", "serial", "address", "user", "home"}  # fmt: skip


@pytest.fixture(scope="module")
def redactor():
    return Redactor(b"salt", False, PEOPLE)


_seen = {}


@cache
def _via():
    return {r.source: r.via for r in catalogue().readings(on_request=True)}


def redacted(evidence, redactor):
    via = _via()
    captures = {}
    for source, c in evidence.captures.items():
        key = source, c.sha256
        if key in _seen:
            captures[source] = dataclasses.replace(c, data=_seen[key], sha256="")
            continue
        data = c.data
        if via.get(source) in (Via.FILES, Via.LISTING, Via.LINKS, Via.STATFS):
            pack = Pack(1 << 30)
            try:
                found = list(load(c.data))
            except PackError:
                found = []
            if found:
                pack.entries = redactor.pack(
                    [(e.path.encode("utf-8", "surrogateescape"), e.status, e.data) for e in found]
                )
                data = pack.answer().body
        else:
            data = redactor(c.data, source.encode())
        _seen[key] = data
        captures[source] = dataclasses.replace(c, data=data, sha256="")
    return Evidence(evidence.node, captures)


def verdicts(nodes):
    understanding = Understanding(catalogue().probes)
    for node in nodes:
        understanding.add(node)
    judgements, errors = judge(catalogue().checks, Facts(understanding))
    assert not errors
    return {j.check: (j.outcome, Counter(f.outcome for f in j.findings)) for j in judgements}


def test_packs_written_by_the_agent_are_those_of_the_kit():
    pack = Pack(1000)
    names = [b"/a", b"/two words", b'/"q"', b"/\xff", "/ü".encode(), b"/new\nline", b"/tab\t"]
    pack.entries = [(name, "answered", name * 2) for name in names]
    found = list(load(pack.answer().body))
    assert [e.path.encode("utf-8", "surrogateescape") for e in found] == names
    assert [e.data for e in found] == [name * 2 for name in names]


def test_the_reference_hosts_are_judged_alike(redactor):
    for name, evidence in hosts().items():
        assert verdicts([redacted(evidence, redactor)]) == verdicts([evidence]), name


def test_planted_faults_are_judged_alike(redactor):
    sound = hosts()
    for check in catalogue().checks:
        for plant in check.plants:
            sick = apply(plant, sound[plant.host])
            crowd = [sound[plant.host]] if check.fleet else []
            crowd = [dataclasses.replace(c, node=f"sound-{n}") for n in range(3) for c in crowd]
            assert _one(check, [*crowd, sick]) == _one(
                check, [redacted(e, redactor) for e in (*crowd, sick)]
            ), check.id


def _one(check, nodes):
    understanding = Understanding(
        [p for p in catalogue().probes if any(n.kind in p.gives for n in check.needs.values())]
    )
    for node in nodes:
        understanding.add(node)
    (judgement,), errors = judge([check], Facts(understanding))
    assert not errors
    return judgement.outcome, Counter(f.outcome for f in judgement.findings)


@pytest.mark.corpus
def test_real_outputs_give_the_same_facts(samples, redactor):
    probes = catalogue().probes
    known = 0
    for path in sorted(samples.iterdir()):
        if path.suffix != ".txt":
            continue
        data = path.read_bytes()
        before = parse(data, probes)
        after = parse(redactor(data, (before.source or "cat x").encode()), probes)
        assert (after.source, bool(after.unknown)) == (before.source, bool(before.unknown)), path
        facts = [[f for u in p.results for f in u.facts] for p in (before, after)]
        assert len(facts[0]) == len(facts[1]), path
        known += len(facts[0])
        for was, now in zip(*facts, strict=True):
            for field in dataclasses.fields(was):
                if getattr(was, field.name) != getattr(now, field.name):
                    assert field.name in IDENTITIES, (path.name, was, now)
    assert known


def test_captures_are_comparable():
    assert Capture("x", b"1").identity != Capture("x", b"2").identity
