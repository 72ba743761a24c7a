"""The agent as a real process: how it ends, and what it costs."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from assay.collector.stream import ARGV, Reader, request
from assay.engine.catalogue import catalogue
from assay.engine.target import Options
from assay.kit.pack import load
from assay.kit.reading import Via, command, files, links, listing


def sh(script, **options):
    return command("sh", "-c", script, **options)


def start(readings, **options):
    agent = subprocess.Popen(
        [sys.executable, *ARGV], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    agent.stdin.write(request(readings, Options(**options)))
    agent.stdin.close()
    return agent


def test_it_ends_when_nobody_reads_its_answers(collect, gone, wait_for):
    agent = start([sh("sleep 98771", deadline=60)], deadline=60)
    wait_for("98771")
    agent.stdout.close()
    assert agent.wait(3) == 75
    assert gone("98771")


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_and_its_commands(signum, gone, wait_for):
    agent = start([sh("sleep 98772 & setsid sleep 98772 & wait", deadline=60)], deadline=60)
    wait_for("98772")
    time.sleep(0.1)
    agent.send_signal(signum)
    assert agent.wait(3) == 75
    agent.stdout.close()
    assert gone("98772")


def test_it_ends_with_its_parent(gone, wait_for):
    script = (
        "import subprocess, sys, time\n"
        "agent = subprocess.Popen([sys.executable, '-I', '-S', '-'], stdin=subprocess.PIPE)\n"
        "agent.stdin.write(sys.stdin.buffer.read()); agent.stdin.close(); time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    parent.stdin.write(request([sh("sleep 98773", deadline=60)], Options(deadline=60)))
    parent.stdin.close()
    wait_for("98773")
    parent.kill()
    parent.wait()
    assert gone("98773")  # its stdout is still open: we hold the other end
    parent.stdout.close()


def test_a_reader_that_is_slow_loses_nothing(collect):
    readings = [sh(f"head -c 300000 /dev/zero # {n}") for n in range(30)]
    agent = start(readings)
    data = bytearray()
    while chunk := agent.stdout.read(1 << 16):
        data += chunk
        time.sleep(0.002)
    agent.stdout.close()
    agent.wait()
    reader = Reader(readings)
    assert len(reader.feed(bytes(data))) == 32
    assert reader.close() == ""


def test_a_reader_that_stops_reading_does_not_keep_it_for_ever():
    agent = start([sh(f"head -c 300000 /dev/zero # 98774 {n}") for n in range(9)], deadline=0.5)
    assert agent.wait(20) == 75  # the alarm: deadline + 7 s
    agent.stdout.close()


def test_equal_salts_give_equal_hashes_and_only_those(collect, tmp_path):
    (tmp_path / "x").write_text("b8:3f:d2:12:34:56 password=hunter2\n")
    reading = files(f"{tmp_path}/x")
    one, two, other = (collect(reading, salt=salt)[reading].data for salt in "aab")
    assert one == two != other
    plain = collect(reading, identifying=True)[reading].data
    assert b"b8:3f:d2:12:34:56 password=REDACTED" in plain


def test_every_python_runs_it_alike(collect, pythons, tmp_path):
    (tmp_path / "ü x").write_text("b8:3f:d2:12:34:56 ü")
    readings = [
        sh("echo out; echo err >&2; exit 4"),
        sh("exit 0; # ü"),
        files(f"{tmp_path}/*"),
        listing("/dev/{null,zero}"),
        links("/proc/self/exe/../nothing"),
        command("no-such-tool-here"),
    ]
    answers = {}
    for minor, path in pythons.items():
        found = collect(*readings, python=path)
        assert found.hello.python.startswith(f"3.{minor}.")
        answers[minor] = [found[r].identity for r in readings]
    first = next(iter(answers.values()))
    assert all(answer == first for answer in answers.values())


@pytest.mark.real
def test_the_whole_catalogue_is_cheap(collect):
    """The budget of a whole audit is 0.8 CPU seconds; what the agent itself needs is below 0.35."""
    readings = [r for r in catalogue().readings() if r.via is not Via.COMMAND]
    agent = start(readings)
    drain = threading.Thread(target=agent.stdout.read)
    drain.start()
    _, status, usage = os.wait4(agent.pid, 0)
    agent.returncode = os.waitstatus_to_exitcode(status)
    drain.join()
    agent.stdout.close()
    assert agent.returncode == 0
    assert usage.ru_utime + usage.ru_stime < 0.35


def test_the_whole_catalogue_gives_readable_answers(collect):
    readings = catalogue().readings()
    found = collect(*readings)
    assert set(found.captures) == {r.source for r in readings}
    for reading in readings:
        if reading.via in (Via.FILES, Via.LISTING, Via.LINKS, Via.STATFS):
            list(load(found[reading].data))
    assert [c for c in found.captures.values() if "Error" in c.reason] == []
