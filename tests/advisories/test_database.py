"""The database: whole or refused, never half."""

import subprocess
import sys
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.advisories import database, records, session
from assay.advisories.database import BadDatabase, Source
from assay.advisories.records import BadRecord
from assay.model.advisory import Advisory, Range
from assay.model.outcome import Severity

DB = database.embedded()


def advisory(**changes):
    plain = Advisory(
        "runc", "CVE-2030-1000", "A hole in runc", (Range("", "1.9.9"),), sources=("test",)
    )
    return replace(plain, **changes)


def built(*advisories):
    return database.build(advisories or [advisory()], as_of="2030-01-01", sources=[Source("test")])


def test_it_is_compact_and_whole():
    assert len(DB.dump()) < 300_000
    assert DB.records == 3301
    assert len(DB.components) == 120
    database.verify(DB)


def test_every_record_names_source_and_hash():
    known = {source.id for source in DB.sources}
    for record in DB.all():
        assert record.sources
        assert set(record.sources) <= known
        assert record.url.startswith("https://")
    assert all(source.licence and source.sha256 and source.when for source in DB.sources)
    one, other = DB.of("runc")[:2]
    assert records.sha256(one) != records.sha256(other)
    assert records.sha256(one) == records.sha256(replace(one))
    assert records.sha256(replace(one, title="x")) != records.sha256(one)


def test_severity_is_absent_where_no_source_gives_one():
    (record,) = [a for a in DB.of("runc") if a.id == "CVE-2026-41579"]
    assert record.severity is None
    assert record.cvss is None
    (record,) = [a for a in DB.of("nvidia-container-toolkit") if a.id == "CVE-2025-23266"]
    assert record.severity is Severity.CRITICAL


def test_it_loads_lazily_and_fast():
    code = (
        "import time\n"
        "from assay.advisories import database\n"
        "t = time.perf_counter(); db = database.embedded(); db.of('runc')\n"
        "print(time.perf_counter() - t); t = time.perf_counter(); list(db.all())\n"
        "print(time.perf_counter() - t)"
    )
    runs = [
        [float(line) for line in subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()]
        for _ in range(3)
    ]  # fmt: skip
    assert min(first for first, _ in runs) < 0.05
    assert min(whole for _, whole in runs) < 0.25  # 45 ms on an idle machine


def test_what_is_written_is_read_back():
    every = advisory(
        severity=Severity.HIGH, cvss=7.5, vector="CVSS:3.1/AV:N", aliases=("GO-2030-1",),
        url="https://example.org/CVE-2030-1000", references=("https://example.org/a",),
        published="2029-12-31", exploited=True, exploited_since="2030-01-01", flags=("a flag",),
        conditions=("stepmgr enabled",), parts=("kubelet",), platforms=("ubuntu",),
        nickname="Hole", cwe="CWE-22", layer="host", subsystems=("bpf",), proofs=2,
        ranges=(
            Range("1.0", "1.1", "1.0.9", "", "1", True, ("a", "b"), "2", ("c",), ("d",)),
            Range(below_major="2.0"),
        ),
    )  # fmt: skip
    again = database.load(built(every, advisory(id="CVE-2030-1001")).dump())
    assert again.of("runc") == (every, advisory(id="CVE-2030-1001"))
    assert again.find("GO-2030-1") == (every,)


def test_same_records_same_bytes():
    a, b = advisory(), advisory(id="CVE-2030-1001")
    assert built(a, b).dump() == built(b, a).dump()
    assert built(a).sha256 != built(b).sha256


@pytest.mark.parametrize(
    "bad",
    [
        {"component": "No Such"},
        {"id": "not an id"},
        {"title": " "},
        {"sources": ()},
        {"url": "http://example.org"},
        {"cvss": 11.0},
        {"published": "yesterday"},
        {"ranges": (Range("", "one point nine"),)},
        {"ranges": (Range("1.9", "1.8"),)},
    ],
)
def test_a_bad_record_is_refused(bad):
    with pytest.raises(BadRecord):
        built(advisory(**bad))


def test_a_record_twice_is_refused():
    with pytest.raises(BadRecord):
        built(advisory(), advisory())


@given(at=st.integers(0, 2000), to=st.integers(0, 255))
def test_any_changed_byte_is_noticed(at, to):
    data = bytearray(built().dump())
    at %= len(data)
    if data[at] == to:
        return
    data[at] = to
    try:
        changed = database.load(bytes(data))
        changed.of("runc")
    except BadDatabase:
        return
    assert changed.sha256 != built().sha256  # a changed header is another database


@pytest.mark.parametrize("cut", [0, 5, 18, 40, -1, -20])
def test_a_cut_file_is_refused(cut):
    with pytest.raises(BadDatabase):
        database.load(DB.dump()[:cut])


def test_a_future_form_says_so():
    with pytest.raises(BadDatabase, match="future"):
        database.load(DB.dump().replace(b"ADVISORIES 1", b"ADVISORIES 2", 1))
    with pytest.raises(BadDatabase, match="schema 9"):
        database.load(built().dump().replace(b'"schema":1', b'"schema":9', 1))


def test_stale_is_said_in_words():
    with session.judging(today=date(2026, 12, 1)) as now:
        assert now.stale
        assert "STALE" in now.age
        assert "2026-08-21" in now.age
    assert not session.current().stale
