"""Commands that a real agent runs: bounded in time and output, and none left behind."""

import os
import socket
import time

from assay.kit.reading import command
from assay.model.evidence import Status


def sh(script, **options):
    return command("sh", "-c", script, **options)


def test_a_command_gives_its_output_exit_code_and_complaints(collect):
    good, bad = sh("echo out; echo err >&2"), sh("printf 'x\\0\\377'; exit 3")
    found = collect(good, bad)
    assert found[good].data == b"out\n"
    assert found[good].stderr == "err\n"
    assert (found[good].status, found[good].exit_code) == (Status.ANSWERED, 0)
    assert 0 < found[good].seconds < 5
    assert (found[bad].data, found[bad].exit_code) == (b"x\x00\xff", 3)
    assert found.hello.hostname == socket.gethostname()
    assert found.hello.uid == os.getuid()


def test_a_command_sees_almost_nothing_of_us(collect, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD_NOT", "1")
    env, here = command("env"), sh("pwd; cat; umask; ulimit -c; ls -l /proc/self/fd | wc -l")
    found = collect(env, here)
    names = {line.split("=")[0] for line in found[env].data.decode().splitlines()}
    assert names == {"PATH", "LC_ALL", "LANG", "HOME"}
    assert b"\nHOME=/nonexistent/" in b"\n" + found[env].data
    lines = found[here].data.split()
    assert lines[:2] == [b"/", b"0077"]  # stdin is empty
    assert int(lines[-1]) <= 5  # total, 0, 1, 2 and the folder itself: no pipe of ours leaks


def test_missing_and_forbidden_commands(collect, tmp_path):
    plain, junk, open_to_all = (tmp_path / n for n in ("plain", "junk", "open"))
    for path, mode in ((plain, 0o644), (junk, 0o755), (open_to_all, 0o777)):
        path.write_bytes(b"\x00not a program")
        path.chmod(mode)
    missing, absolute = command("no-such-tool-here"), command("/no/such/tool")
    readings = [command(str(path)) for path in (plain, junk, open_to_all)]
    found = collect(missing, absolute, *readings)
    assert found[missing].status is Status.ABSENT
    assert found[absolute].status is Status.ABSENT
    assert found[readings[0]].status is Status.DENIED
    assert found[readings[1]].status is Status.FAILED
    assert "can be changed by everyone" in found[readings[2]].reason


def test_a_command_that_is_killed_says_by_what(collect):
    reading = sh("kill -SEGV $$")
    assert collect(reading)[reading].exit_code == -11
    assert collect(reading)[reading].reason == "killed by signal 11"


def test_a_deadline_ends_the_whole_group_and_keeps_the_head(collect, gone):
    reading = sh("echo head; sleep 98761 & sleep 98761", deadline=0.3)
    began = time.monotonic()
    capture = collect(reading)[reading]
    assert time.monotonic() - began < 3
    assert (capture.status, capture.data) == (Status.TIMEOUT, b"head\n")
    assert gone("98761")


def test_a_flood_is_cut_at_its_cap_and_its_producer_killed(collect, gone):
    reading = command("yes", "flood98762", cap=100_000, deadline=20)
    capture = collect(reading)[reading]
    assert capture.status is Status.TRUNCATED
    assert capture.data == b"flood98762\n" * 9090 + b"flood98762"
    assert capture.seconds < 5
    assert gone("flood98762")


def test_a_flood_of_complaints_is_drained(collect):
    reading = sh("yes err98763 | head -c 3000000 >&2; echo done")
    capture = collect(reading)[reading]
    assert capture.data == b"done\n"
    assert len(capture.stderr) == 4096


def test_exactly_the_cap_is_no_truncation(collect):
    reading = sh("head -c 5000 /dev/zero | tr '\\0' a", cap=5000)
    assert collect(reading)[reading].status is Status.ANSWERED


def test_a_fork_bomb_ends_with_its_reading(collect, gone):
    reading = sh(
        "n=0; while [ $n -lt 60 ]; do n=$((n+1)); (exec sleep 98764) & done; wait", deadline=0.5
    )
    assert collect(reading)[reading].status is Status.TIMEOUT
    assert gone("98764")


def test_a_child_that_stays_behind_is_killed_with_its_command(collect, gone):
    reading = sh("sleep 98765 & echo done")
    began = time.monotonic()
    capture = collect(reading)[reading]
    assert (capture.status, capture.data) == (Status.ANSWERED, b"done\n")
    assert time.monotonic() - began < 3  # though the child holds the pipe open
    assert gone("98765")


def test_one_that_leaves_its_session_is_found_after_a_timeout(collect, gone):
    reading = sh("setsid sleep 98766 & sleep 98766", deadline=0.4)
    assert collect(reading)[reading].status is Status.TIMEOUT
    assert gone("98766")


def test_closed_pipes_do_not_hide_a_hanging_command(collect, gone):
    reading = sh("exec >&- 2>&-; exec sleep 98767", deadline=0.4)
    assert collect(reading)[reading].status is Status.TIMEOUT
    assert gone("98767")


def test_the_deadline_of_all_covers_what_never_began(collect):
    readings = [sh(f"sleep 5; echo {n}", deadline=9) for n in range(20)]
    began = time.monotonic()
    found = collect(*readings, deadline=0.5)
    assert time.monotonic() - began < 4
    assert {found[r].status for r in readings} == {Status.TIMEOUT}
    assert sum("not begun" in found[r].reason for r in readings) == 12  # 8 at a time
