"""The ssh target with a program in ssh's place that runs the command here: order, time, limits."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.engine.target import Captured, Options, Unreachable
from assay.kit.reading import command
from assay.model.report import NodeState
from assay.targets.ssh import Ssh

# It notes when a login begins and when it is done, and takes the login's time from LOGIN.
STAND_IN = """#!/bin/sh
case "$*" in *" -G "*) echo "hostname x"; exit 0;; esac
while [ "$1" != -- ]; do shift; done
echo "$(date +%s.%N) begin $2" >> "$LOG"
case $2 in
  silent*) exec sleep 60 ;;
  broken*) echo "$2: Permission denied (publickey)." >&2; exit 255 ;;
esac
sleep "$LOGIN"
echo "$(date +%s.%N) in $2" >> "$LOG"
exec sh -c "$3"
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    program = tmp_path / "ssh"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    monkeypatch.setenv("LOGIN", "0.05")
    return str(program)


def most_at_once(log):
    at, most = 0, 0
    for _, what, _ in sorted(line.split() for line in Path(log).read_text().splitlines()):
        at += 1 if what == "begin" else -1
        most = max(most, at)
    return most


def names(count, word="gpu"):
    return [f"{word}-{n}" for n in range(count)]


def test_logins_are_bounded_and_everyone_is_read(stand_in):
    events = Ssh(names(12), program=stand_in, logins=3).collect(
        [command("echo", "x")], Options(deadline=30)
    )
    rows = [e for e in events if not isinstance(e, Captured)]
    assert sorted(r.name for r in rows) == sorted(names(12))
    assert {r.state for r in rows} == {NodeState.READ}
    assert 2 <= most_at_once(os.environ["LOG"]) <= 3


def test_descriptors_bound_the_nodes_that_are_open(stand_in, monkeypatch):
    monkeypatch.setattr("assay.targets.ssh_run._most_open", lambda: 2)
    events = Ssh(names(5), program=stand_in).collect(
        [command("sleep", "0.3")], Options(deadline=30)
    )
    rows = [e for e in events if not isinstance(e, Captured)]
    assert {r.state for r in rows} == {NodeState.READ}
    assert len(rows) == 5


def test_all_is_told_when_the_time_is_over(stand_in, monkeypatch):
    monkeypatch.setattr("assay.targets.ssh_run._most_open", lambda: 2)
    began = time.monotonic()
    target = Ssh([*names(2, "silent"), *names(3)], program=stand_in)
    rows = {e.name: e for e in target.collect([command("echo", "x")], Options(deadline=3))}
    assert time.monotonic() - began < 3 + 2
    assert {row.state for row in rows.values()} == {NodeState.UNREAD}
    assert "given up after 3 s: it did not begin our command" in rows["silent-0"].reason
    assert rows["gpu-2"].reason == "not begun when the 3 s for all nodes were over"


def test_a_node_has_its_own_time(stand_in):
    began = time.monotonic()
    target = Ssh(["silent-1", "gpu-1"], program=stand_in, per_node=1.5)
    rows = {
        e.name: e
        for e in target.collect([command("echo", "x")], Options(deadline=60))
        if not isinstance(e, Captured)
    }
    assert time.monotonic() - began < 4
    assert rows["gpu-1"].state is NodeState.READ
    assert rows["silent-1"].state is NodeState.UNREAD


def test_a_short_deadline_is_kept(stand_in):
    began = time.monotonic()
    *_, row = Ssh(["gpu-1"], program=stand_in).collect([command("echo", "x")], Options(deadline=1))
    assert row.state is NodeState.READ
    assert time.monotonic() - began < 5


def test_equal_things_have_equal_hashes_on_all_nodes_without_a_salt(stand_in):
    mac = command("echo", "link/ether 04:3f:72:aa:bb:cc brd ff:ff:ff:ff:ff:ff")
    events = Ssh(names(2), program=stand_in).collect([mac], Options(deadline=20))
    data = [e.capture.data for e in events if isinstance(e, Captured)]
    assert data[0] == data[1]
    assert b"aa:bb:cc" not in data[0]


def test_nobody_and_no_ssh_are_unreachable():
    with pytest.raises(Unreachable, match="no nodes"):
        list(Ssh([]).collect([], Options()))
    with pytest.raises(Unreachable, match="cannot start /no/such/ssh: No such file"):
        list(Ssh(["a"], program="/no/such/ssh").collect([], Options()))


def test_a_refused_login_is_a_row(stand_in):
    (row,) = Ssh(["broken-1"], program=stand_in).collect([], Options())
    assert row.state is NodeState.UNREAD
    assert "none of your keys is accepted" in row.reason


WATCHED = """
import sys, time
from assay.targets.ssh_watch import Watch
import subprocess
watch = Watch()
stays = subprocess.Popen(["sleep", "98831"], start_new_session=True)
goes = subprocess.Popen(["sleep", "98832"], start_new_session=True)
watch.begun(goes.pid)
watch.begun(stays.pid)
watch.ended(stays.pid)
print(watch.folder, stays.pid, goes.pid, flush=True)
time.sleep(60)
"""


def test_what_was_begun_ends_with_us_and_what_had_ended_is_left_alone():
    user = subprocess.Popen([sys.executable, "-c", WATCHED], stdout=subprocess.PIPE, text=True)
    folder, stays, goes = user.stdout.readline().split()
    assert Path(folder).stat().st_mode & 0o7777 == 0o700
    user.kill()
    user.wait()
    user.stdout.close()
    until = time.monotonic() + 3
    while (Path(folder).exists() or _runs(goes)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not Path(folder).exists()
    assert not _runs(goes)
    assert _runs(stays)
    os.kill(int(stays), 9)


def _runs(pid):
    try:
        return b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
