"""A bundle keeps what was read, says what is wrong with it, and survives kill -9."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.evidence import Capture, Status
from assay.model.report import NodeRow, NodeState, Report, Run
from assay.store.bundle import Bundle
from assay.store.format import BundleError, CannotWrite
from assay.store.writer import BundleWriter

RUN = Run("r1", "2026-01-02T03:04:05+00:00", 0.5, "here", "0", "rules", "", complete=True)
CAPTURES = [
    Capture("uname -r", b"6.8.0\n", exit_code=0, seconds=0.012),
    Capture("missing", status=Status.ABSENT),
    Capture("binary", bytes(range(256)) * 10, exit_code=3, stderr="caf\udce9", reason="why"),
]


def written(path, nodes=("a", "b")):
    with BundleWriter(path) as writer:
        writer.begin(RUN)
        for node in nodes:
            for capture in CAPTURES:
                writer.capture(node, capture)
            writer.node(NodeRow(node, NodeState.READ))
        writer.finish(Report(RUN, tuple(NodeRow(n, NodeState.READ) for n in nodes), ()))
    return path


def test_what_was_read_comes_back_byte_for_byte(tmp_path):
    with Bundle(written(tmp_path / "x.assay")) as bundle:
        assert list(bundle.verify()) == []
        assert bundle.complete
        assert bundle.run() == RUN
        one, two = bundle.evidence()
        assert (one.node, two.node) == ("a", "b")
        for capture in CAPTURES:
            found = one.captures[capture.source]
            assert (found.data, found.status, found.exit_code) == (
                capture.data,
                capture.status,
                capture.exit_code,
            )


def test_equal_answers_are_stored_once(tmp_path):
    written(tmp_path / "x.assay", nodes=[f"n{i}" for i in range(200)])
    with sqlite3.connect(tmp_path / "x.assay") as db:
        kinds = dict(db.execute("SELECT kind, count(*) FROM record GROUP BY kind"))
    assert kinds["answer"] == len(CAPTURES)
    assert kinds["node"] == 200


def test_the_file_is_private_plain_and_alone(tmp_path):
    path = written(tmp_path / "x.assay")
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["x.assay"]


def test_a_bundle_is_never_overwritten(tmp_path):
    path = written(tmp_path / "x.assay")
    with pytest.raises(CannotWrite, match="exists already"):
        BundleWriter(path)


KILLED = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path
    from assay.model.evidence import Capture
    from assay.model.report import NodeRow, NodeState, Run
    from assay.store.writer import BundleWriter
    writer = BundleWriter(Path(sys.argv[1]))
    writer.begin(Run("r", "t", 0.0, "here", "0", "", "", complete=False))
    writer.capture("done", Capture("uname", b"whole", exit_code=0))
    writer.node(NodeRow("done", NodeState.READ))
    writer.capture("half", Capture("uname", b"half", exit_code=0))
    writer.flush()
    os.kill(os.getpid(), signal.SIGKILL)
    """
)


def test_kill_9_loses_nothing_that_was_finished(tmp_path):
    path = tmp_path / "x.assay"
    process = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert process.returncode == -signal.SIGKILL
    with Bundle(path) as bundle:
        assert not bundle.complete
        assert [(p.where) for p in bundle.verify()] == ["end"]
        rows = {row.name: row for row in bundle.nodes()}
        assert rows["done"].state is NodeState.READ
        assert rows["half"].state is NodeState.PARTIAL
        evidence = {e.node: e for e in bundle.evidence()}
        assert evidence["done"].captures["uname"].data == b"whole"
        assert evidence["half"].captures["uname"].data == b"half"


@pytest.mark.parametrize(
    ("damage", "where"),
    [
        ("UPDATE record SET body = replace(body, 'here', 'HERE') WHERE kind = 'run'", "record 0"),
        ("DELETE FROM record WHERE kind = 'answer' AND seq = 1", "record 1"),
        ("DELETE FROM record WHERE kind = 'end'", "end"),
        ("DELETE FROM blob WHERE size = 6", "blob"),
        ("UPDATE blob SET data = x'00'", "blob"),
        ("INSERT INTO blob VALUES (x'00', 0, x'789c030000000001')", "blob 00"),
    ],
)
def test_damage_is_named(tmp_path, damage, where):
    path = written(tmp_path / "x.assay")
    with sqlite3.connect(path) as db:
        db.execute(damage)
    with Bundle(path) as bundle:
        problems = list(bundle.verify())
    assert problems
    assert any(problem.where.startswith(where) for problem in problems)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("PRAGMA user_version = 2", "schema 2"),
        ("PRAGMA application_id = 7", "not an Assay bundle"),
        ("CREATE VIEW extra AS SELECT 1", "did not make"),
        ("CREATE TRIGGER t AFTER INSERT ON blob BEGIN SELECT 1; END", "did not make"),
    ],
)
def test_a_foreign_or_newer_file_is_refused(tmp_path, damage, message):
    path = written(tmp_path / "x.assay")
    with sqlite3.connect(path) as db:
        db.execute(damage)
    with pytest.raises(BundleError, match=message):
        Bundle(path)


def test_links_folders_and_junk_are_refused(tmp_path):
    path = written(tmp_path / "x.assay")
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(BundleError, match="symbolic link"):
        Bundle(link)
    with pytest.raises(BundleError, match="not a file"):
        Bundle(tmp_path)
    with pytest.raises(BundleError, match="cannot open"):
        Bundle(tmp_path / "none")
    junk = tmp_path / "junk"
    junk.write_bytes(b"\x00" * 5000)
    with pytest.raises(BundleError, match="junk"):
        Bundle(junk)


def test_a_zip_bomb_is_refused(tmp_path):
    import zlib

    path = written(tmp_path / "x.assay")
    bomb = zlib.compress(b"\0" * (300 << 20))
    with sqlite3.connect(path) as db:
        db.execute("UPDATE blob SET data = ? WHERE size = 6", (bomb,))
    with Bundle(path) as bundle:
        assert any(problem.where.startswith("blob") for problem in bundle.verify())


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_random_damage_never_raises_anything_but_a_bundle_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    path = written(folder / "x.assay")
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 20))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        with Bundle(path) as bundle:
            list(bundle.verify())
            list(bundle.evidence())
            bundle.report()
    except BundleError:
        pass


def test_a_full_disk_is_one_clear_error(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small tmpfs")
    full = tmp_path / "full"
    full.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(full)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("cannot mount a tmpfs here")
    try:
        writer = BundleWriter(full / "x.assay")
        writer.begin(RUN)
        writer.capture("n", Capture("big", os.urandom(400_000)))
        with pytest.raises(CannotWrite, match="full"):
            writer.flush()
    finally:
        subprocess.run(["umount", "-l", str(full)], check=True)


def test_a_run_that_was_killed_while_it_sealed_its_bundle_opens(tmp_path):
    """A hot rollback journal beside the file: the original is read through a private copy."""
    path = written(tmp_path / "x.assay")
    whole = path.read_bytes()
    script = (
        "import os, signal, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA cache_size = 1')\n"
        "db.execute('BEGIN IMMEDIATE')\n"
        "db.execute('UPDATE blob SET data = zeroblob(9000)')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert (tmp_path / "x.assay-journal").exists()
    path.chmod(0o400)
    with Bundle(path) as bundle:
        assert list(bundle.verify()) == []
        assert bundle.complete
    assert len(whole) > 0


def test_a_run_that_was_killed_before_it_began_says_so(tmp_path):
    path = tmp_path / "x.assay"
    path.touch()
    with pytest.raises(BundleError, match="killed before it began"):
        Bundle(path)
