"""Whatever a node says, the parsers of the Linux host give facts or say that it is unread."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.engine.understand import understand
from assay.kit.pack import Entry, dump
from assay.kit.reading import Via
from assay.model.evidence import Capture, Evidence

AREAS = ("pci", "storage", "system")
PROBES = [p for p in catalogue().probes if p.id.split(".")[0] in AREAS]
SAVED = {r.name: r for p in PROBES for r in p.reads if r.via in (Via.SAVED, Via.COMMAND)}
PASTED = [
    "Architecture: x86_64\nCPU(s): 8\nModel name: X\nVulnerability Mds: Mitigation; x\n",
    '{"lscpu": [{"field": "CPU(s):", "data": "8", "children": [{"field": "Model name:"}]}]}',
    '{"blockdevices": [{"name": "sda", "size": "1T", "children": [{"name": "sda1"}]}]}',
    '{"filesystems": [{"target": "/", "source": "x[/y]", "size": "1.7T", "options": "rw"}]}',
    "/dev/sda1 on / type ext4 (rw,relatime)\n",
    "Handle 0x0001, DMI type 17, 40 bytes\nMemory Device\n\tSize: 64 GB\n\tSpeed: 4800 MT/s\n",
    "1b:00.0 3D controller [0302]: N X [10de:2330] (rev a1)\n\tLnkSta:\tSpeed 8GT/s, Width x8\n",
    "Smart Log for NVME device:nvme0 namespace-id:ffffffff\ncritical_warning : 0\n",
    '{"critical_warning":0,"temperature":314,"avail_spare":100}',
    '{"smartctl":{"version":[7,3]},"smart_status":{"passed":true},"temperature":{"current":3}}',
    "Module                  Size  Used by\nnvidia 1 2 a,b\n",
    "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 9 1 8 10% /\n",
    "Reference ID    : 0 ()\nStratum         : 3\nSystem time     : 0.1 s\nLeap status : Normal\n",
    "Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n      1 blocks [2/1] [_U]\n",
    "kernel state: ok\npatch state: applied\n",
    "Loaded patch modules:\nx [enabled]\n",
    "  ssh.service loaded active running OpenSSH\n",
]


def check(probe, evidence):
    seen = understand(probe, evidence)
    assert seen.error is None, seen.error.traceback


def damaged(data: bytes, rng: random.Random) -> bytes:
    match rng.randrange(5):
        case 0:
            return data[: rng.randrange(len(data) + 1)]
        case 1:
            return rng.randbytes(rng.randrange(400))
        case 2:
            return b""
        case 3:
            return data.replace(b"0", b"9" * 400)
    out = bytearray(data)
    for _ in range(8):
        if out:
            out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: p.id)
def test_damaged_answers_of_a_sound_host(probe):
    rng = random.Random(probe.id)
    sound = host("hgx-h100")
    mine = {r.source: sound.captures[r.source] for r in probe.reads if r.source in sound.captures}
    for _ in range(25):
        captures = dict(mine)
        for source, capture in mine.items():
            captures[source] = Capture(
                source, damaged(capture.data[:20000], rng), exit_code=capture.exit_code
            )
        check(probe, Evidence("n", captures))


@pytest.mark.parametrize("probe", PROBES, ids=lambda p: p.id)
def test_damaged_files_in_whole_packs(probe):
    rng = random.Random(probe.id)
    sound = host("hgx-h100")
    files = {
        r.source: [
            Entry(path, rng.choice((b"", b"\xff" * 9, b"-1\n", b"9" * 500, b"a: b\n== x y 3\n")))
            for path in (r.glob.replace("*", "0000:1b:00.0"), "/x", r.glob)
        ]
        for r in probe.reads
        if r.via in (Via.FILES, Via.LISTING, Via.LINKS)
    }
    for source, entries in files.items():
        others = {s: c for s, c in sound.captures.items() if s != source}
        check(probe, Evidence("n", {**others, source: Capture(source, dump(entries))}))


@pytest.mark.parametrize("name", sorted(SAVED))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_anything_at_all_as_a_saved_output(name, data):
    parsed = parse(data, PROBES, name=name)
    assert not any(r.error for r in parsed.results)


@pytest.mark.parametrize("text", PASTED)
def test_pasted_outputs_cut_at_any_byte_and_damaged(text):
    rng = random.Random(text)
    data = text.encode()
    assert any(r.facts for r in parse(data, PROBES).results)
    for cut in range(len(data)):
        assert not any(r.error for r in parse(data[:cut], PROBES).results)
    for _ in range(40):
        assert not any(r.error for r in parse(damaged(data, rng), PROBES).results)


@pytest.mark.parametrize("text", PASTED)
def test_colours_and_carriage_returns_change_nothing(text):
    if text.startswith("{"):
        return
    plain = [r.facts for r in parse(text.encode(), PROBES).results]
    windows = text.replace("\n", "\r\n").encode()
    source = parse(text.encode(), PROBES).source
    assert [r.facts for r in parse(windows, PROBES, name=source).results] == plain
