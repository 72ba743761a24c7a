"""Replace any evidence by junk: no verdict may improve, and nothing may raise."""

import re
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.demo.hosts import hosts
from assay.engine.catalogue import catalogue
from assay.engine.judge import Facts, judge
from assay.engine.plants import apply
from assay.engine.understand import Understanding, Understood, understand
from assay.kit.pack import Entry, PackError, dump, load
from assay.kit.reading import Via
from assay.model.evidence import Capture, Evidence, Status
from assay.model.outcome import Outcome
from assay.probes import (
    amd_sysfs,
    containers,
    device_exposure,
    filesystems,
    nccl_settings,
    sshd,
    users_sudo,
)

CATALOGUE = catalogue()
READINGS = {r.source: r for p in CATALOGUE.probes for r in p.reads}

JUNK = {
    "nothing": b"",
    "binary": b"\x00\xff\xfe\x7fELF\x80binary",
    "escapes": b"\x1b[31mFAILED\x1b[0m\x1b]0;title\x07",
    "a tag": b"<script>alert(1)</script>",
    "a message": b"Erreur : p\xc3\xa9riph\xc3\xa9rique introuvable\n",
    "a refusal": b"Permission denied\n",
    "N/A": b"N/A\n",
    "an empty list": b"[]",
    "an empty object": b"{}",
    "an object": b'{"a": [1, {"b": null}]}',
    "brackets": b"[" * 3000,
    "tags": b"<a>" * 3000,
    "digits": b"9" * 5000,
}
LOST = (Status.TIMEOUT, Status.DENIED, Status.TRUNCATED, Status.FAILED)

FEW = ("nothing", "a refusal", "all files: nothing", "all files: a refusal", "timeout", "an error")
FRAMED = re.compile(rb"<|== |\{|\[\s*[\[{\"]")

# Legal answers that look like junk: here, and only here, a verdict may improve.
_EMPTY = ("all files: nothing", "the file: nothing")
_OBJECTS = tuple(f"{which}: an {kind}object" for which in ("all files", "the file")
                 for kind in ("", "empty "))  # fmt: skip
_DEFAULTS = "an empty file leaves everything at its default, which is safe here"
_NAMES_NOTHING = "an object without the keys that are asked about leaves them at their defaults"
_CLOSED = "what is denied to us is closed to other users just as well"
# check, source, kinds of junk, reason.
LEGAL = (
    ("amd.bad-pages", amd_sysfs.PAGES, ("the file: nothing",), "an empty table has no bad page"),
    ("containers.docker-tcp", containers.DOCKER, _EMPTY, _DEFAULTS),
    ("containers.docker-tcp", containers.DOCKER, _OBJECTS, _NAMES_NOTHING),
    ("containers.insecure-registries", containers.DOCKER, _EMPTY, _DEFAULTS),
    ("containers.insecure-registries", containers.DOCKER, _OBJECTS, _NAMES_NOTHING),
    ("containers.toolkit-cgroups", containers.TOOLKIT, _EMPTY, _DEFAULTS),
    ("containers.toolkit-environment", containers.TOOLKIT, _EMPTY[:1], _DEFAULTS),
    ("containers.engine-socket", device_exposure.SOCKETS,
     ("all files: denied", "the file: denied"), _CLOSED),
    ("network.nccl-paths-open", nccl_settings.CONF, _EMPTY, _DEFAULTS),
    ("network.nccl-tuning-unset", nccl_settings.CONF, _EMPTY, _DEFAULTS),
    ("security.raw-devices", device_exposure.DEVICES, ("the file: denied",), _CLOSED),
    ("security.dpu-management", device_exposure.DEVICES, ("the file: denied",), _CLOSED),
    ("security.sshd-algorithms", sshd.CONFIG, _EMPTY, _DEFAULTS),
    ("security.sshd-options", sshd.CONFIG, _EMPTY, _DEFAULTS),
    ("security.sshd-passwords", sshd.CONFIG, _EMPTY[1:], "an empty drop-in sets nothing"),
    ("security.sshd-root-login", sshd.CONFIG, _EMPTY, _DEFAULTS),
    ("security.sudo-everyone", users_sudo.SUDOERS, _EMPTY[1:], "an empty drop-in has no rule"),
    ("storage.hung-mount", filesystems.STATFS, ("all files: denied",), "a refusal is an answer"),
)  # fmt: skip
EXEMPT = {(check, reading.source, kind) for check, reading, kinds, _ in LEGAL for kind in kinds}


@lru_cache(maxsize=1024)
def junked(capture: Capture, edited: frozenset[str] = frozenset()) -> dict[str, Capture]:
    """The ways in which one answer may be spoilt: all of it, every file, the *edited* files."""
    bodies = list(JUNK.items())
    if FRAMED.match(capture.data):
        # A cut list of lines is a shorter list: only the transport can tell, and it does (frames).
        halves = (("half", capture.data[: len(capture.data) // 2]), ("cut", capture.data[:-2]))
        bodies += [(name, cut) for name, cut in halves if not packed(Capture("", cut))]
    if READINGS[capture.source].via not in (Via.COMMAND, Via.SAVED):
        entries = packed(capture)
        every = frozenset(entry.path for entry in entries)
        for which, spoilt in (("all files", every), ("the file", edited & every)):
            if spoilt:
                bodies += [(f"{which}: {n}", _with(entries, spoilt, j)) for n, j in JUNK.items()]
                bodies.append((f"{which}: denied", _with(entries, spoilt, b"", "denied")))
    code = capture.exit_code
    spoilt = {name: Capture(capture.source, body, exit_code=code) for name, body in bodies}
    for status in LOST:
        spoilt[status] = Capture(capture.source, capture.data, status, reason="lost")
    spoilt["an error"] = Capture(capture.source, b"error\n", exit_code=1, stderr="it failed")
    return spoilt


def packed(capture: Capture) -> list[Entry]:
    """The entries of a pack; none of an answer that is none (a plant may have spoilt it)."""
    try:
        return list(load(capture.data)) if capture.status is Status.ANSWERED else []
    except PackError:
        return []


def _with(entries, spoilt, junk, status="answered"):
    return dump(Entry(e.path, junk, status) if e.path in spoilt else e for e in entries)


UNDERSTOOD: dict[tuple, int] = {}  # probe, captures -> number of what it made of them
NUMBERS: dict[tuple, int] = {}  # what a probe made of captures -> its number
RESULTS: list[Understood] = []


class Bench:
    """Judges one check over and over; what was understood or judged before is not done again."""

    def __init__(self, check):
        kinds = {need.kind for need in check.needs.values()}
        self.check = check
        self.probes = [probe for probe in CATALOGUE.probes if kinds.intersection(probe.gives)]
        self.sources = {reading.source for probe in self.probes for reading in probe.reads}
        self.outcomes = {}

    def outcome(self, *nodes: Evidence) -> Outcome:
        """What the check says about *nodes*."""
        key = tuple(tuple(self._number(p, node) for p in self.probes) for node in nodes)
        if key not in self.outcomes:
            understanding = Understanding(self.probes)
            understanding.results = RESULTS
            understanding.nodes = {f"n{at}": numbers for at, numbers in enumerate(key)}
            judgements, errors = judge([self.check], Facts(understanding))
            assert not errors, errors
            self.outcomes[key] = judgements[0].outcome
        return self.outcomes[key]

    def _number(self, probe, evidence):
        captures = [evidence.captures.get(reading.source) for reading in probe.reads]
        key = (probe.id, *(capture and capture.identity for capture in captures))
        if key not in UNDERSTOOD:
            result = understand(probe, evidence)
            assert result.error is None, result.error.traceback
            same = (probe.id, result.facts, result.unread, result.asked)
            if same not in NUMBERS:
                NUMBERS[same] = len(RESULTS)
                RESULTS.append(result)
            UNDERSTOOD[key] = NUMBERS[same]
        return UNDERSTOOD[key]


def spoilt_hosts(bench, host, edits=()):
    """*host* with each answer that the verdicts may rest on spoilt in each way.

    With *edits*, the answers beside the edited ones are spoilt in FEW ways only: as everywhere
    else, a parser does not know what another answer says, and sound hosts show all ways.
    """
    edited = {edit.source for edit in edits}
    for source in sorted(bench.sources & host.captures.keys()):
        paths = frozenset(edit.path for edit in edits if edit.source == source)
        for name, spoilt in junked(host.captures[source], paths).items():
            if edits and source not in edited and name not in FEW:
                continue
            if (bench.check.id, source, name) not in EXEMPT:
                yield source, name, Evidence("n", {**host.captures, source: spoilt})


@pytest.mark.parametrize("check", CATALOGUE.checks, ids=lambda c: c.id)
def test_junk_never_improves_a_failure(check):
    bench = Bench(check)
    for plant in check.plants:
        sound = hosts()[plant.host]
        crowd = [sound] * 3 if check.fleet else []
        sick = apply(plant, sound)
        assert bench.outcome(*crowd, sick) is Outcome.FAIL
        better = {
            (source, name): str(after)
            for source, name, spoilt in spoilt_hosts(bench, sick, plant.edits)
            if (after := bench.outcome(*crowd, spoilt)).rank < Outcome.UNKNOWN.rank
        }
        assert not better


@pytest.mark.parametrize("check", CATALOGUE.checks, ids=lambda c: c.id)
def test_junk_never_hides_what_passes(check):
    bench = Bench(check)
    for name in {plant.host for plant in check.plants}:
        sound = hosts()[name]
        crowd = [sound] * 3 if check.fleet else []
        assert bench.outcome(*crowd, sound) is Outcome.PASS
        hidden = {
            (source, name): str(after)
            for source, name, spoilt in spoilt_hosts(bench, sound)
            if (after := bench.outcome(*crowd, spoilt)) is Outcome.NOT_APPLICABLE
        }
        assert not hidden


@pytest.mark.parametrize("probe", CATALOGUE.probes, ids=lambda p: p.id)
def test_a_parser_survives_junk(probe):
    sound = {source: c for host in hosts().values() for source, c in host.captures.items()}
    for reading in probe.reads:
        capture = sound.get(reading.source) or Capture(reading.source, b"x", exit_code=0)
        for name, spoilt in junked(capture).items():
            evidence = Evidence("n", {**sound, reading.source: spoilt})
            error = understand(probe, evidence).error
            assert error is None, f"{reading.source} {name}: {error.traceback}"


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
        junk = [*JUNK.values()][:12]
        body[at : at + length] = data.draw(st.binary(max_size=30) | st.sampled_from(junk))
    spoilt = Capture(reading.source, bytes(body), exit_code=data.draw(st.sampled_from([0, 1, 9])))
    error = understand(probe, Evidence("n", {**sound, reading.source: spoilt})).error
    assert error is None, error.traceback
