"""The local target with real agents: answers as they come, and nothing left behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.collector import stream
from assay.engine.target import Captured, Options, Unreachable
from assay.kit.reading import command, files
from assay.model.evidence import Status
from assay.model.report import NodeRow, NodeState
from assay.targets.local import Local


def sh(script, **options):
    return command("sh", "-c", script, **options)


def processes(word):
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            text = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in text and int(path.name) != os.getpid():
            found.append(int(path.name))
    return found


def gone(word, patience=4.0):
    until = time.monotonic() + patience
    while (left := processes(word)) and time.monotonic() < until:
        time.sleep(0.02)
    return not left


def wait_for(word):
    until = time.monotonic() + 5
    while not processes(word) and time.monotonic() < until:
        time.sleep(0.01)
    assert processes(word)


BEFORE = set()  # what other suites of this run keep running: a lab of the whole session, say


def all_children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def children():
    return [pid for pid in all_children() if pid not in BEFORE]


@pytest.fixture(autouse=True)
def others():
    BEFORE.clear()
    BEFORE.update(all_children())


def test_answers_then_the_row_of_the_node():
    readings = [sh("echo one"), files("/proc/version"), command("no-such-tool-here")]
    *captured, row = Local().collect(readings, Options())
    assert row == NodeRow(socket.gethostname(), NodeState.READ)
    assert {c.node for c in captured} == {row.name}
    by = {c.capture.source: c.capture for c in captured}
    assert by[readings[0].source].data == b"one\n"
    assert by[readings[2].source].status is Status.ABSENT
    assert children() == []


def test_answers_come_as_soon_as_they_are_there():
    slow, fast = sh("sleep 1; echo slow"), sh("echo fast")
    times = {}
    began = time.monotonic()
    for event in Local().collect([slow, fast], Options()):
        if isinstance(event, Captured):
            times[event.capture.data] = time.monotonic() - began
    assert times[b"fast\n"] < 0.8 < times[b"slow\n"]


def test_an_empty_list_reads_a_node():
    assert [e.state for e in Local().collect([], Options())] == [NodeState.READ]


def test_closing_early_ends_everything():
    events = Local().collect(
        [sh("echo first"), sh("sleep 98781", deadline=60)], Options(deadline=60)
    )
    assert next(events).capture.data == b"first\n"
    wait_for("98781")
    events.close()
    assert gone("98781", 0.5)
    assert children() == []


def test_an_exception_in_the_reader_ends_everything():
    def read():
        for _ in Local().collect([sh("echo x"), sh("sleep 98782", deadline=60)], Options()):
            wait_for("98782")
            raise KeyError("full disk")

    with pytest.raises(KeyError):
        read()
    assert gone("98782", 0.5)
    assert children() == []


def test_a_killed_agent_is_a_partial_node_and_its_commands_go():
    events = Local().collect([sh("echo x"), sh("sleep 98783", deadline=60)], Options(deadline=60))
    assert next(events).capture.data == b"x\n"
    wait_for("98783")
    os.kill(int(children()[0]), signal.SIGKILL)
    (row,) = events
    assert row.state is NodeState.PARTIAL
    assert "cut off after 1 of 2 answers" in row.reason
    assert gone("98783", 0.5)


def test_an_agent_that_is_stopped_does_not_hold_us_up(monkeypatch):
    monkeypatch.setattr("assay.targets.local.GRACE", 0.2)
    events = Local().collect([sh("echo x"), sh("sleep 98784", deadline=60)], Options(deadline=0.8))
    next(events)
    wait_for("98784")
    os.kill(int(children()[0]), signal.SIGSTOP)
    began = time.monotonic()
    *_, row = events
    assert time.monotonic() - began < 6
    assert row.state is NodeState.PARTIAL
    assert gone("98784", 0.5)
    assert children() == []


def test_an_agent_that_is_no_agent_is_an_unread_node(tmp_path):
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho 'ImportError: no json' >&2\nexit 3\n")
    fake.chmod(0o755)
    (row,) = Local(str(fake)).collect([sh("echo x")], Options())
    assert row.state is NodeState.UNREAD
    assert "no agent answered" in row.reason
    assert "ImportError: no json" in row.reason


def test_a_bug_in_the_agent_is_told(monkeypatch):
    text = stream.program().replace("frames.write(described", "frames.nothing(described")
    monkeypatch.setattr("assay.collector.stream.program", lambda: text)
    *_, row = Local().collect([sh("echo x")], Options())
    assert row.state is NodeState.PARTIAL
    assert "has no attribute 'nothing'" in row.reason


def test_no_python_is_unreachable():
    with pytest.raises(Unreachable, match="No such file"):
        list(Local("/no/such/python").collect([], Options()))


USER = """
import sys
from assay.targets.local import Local
from assay.engine.target import Options
from assay.kit.reading import command
reading = command("sh", "-c", "setsid sleep {0} & sleep {0}", deadline=60)
for event in Local().collect([command("echo", "x"), reading], Options(deadline=60)):
    print(event, flush=True)
"""


@pytest.mark.parametrize(
    ("signum", "code"), [(signal.SIGINT, -2), (signal.SIGTERM, -15), (signal.SIGKILL, -9)]
)
def test_however_assay_is_ended_nothing_of_it_stays(signum, code):
    word = f"9879{int(signum)}"
    user = subprocess.Popen(
        [sys.executable, "-c", USER.format(word)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert b"Captured" in user.stdout.readline()
    wait_for(f"sleep\0{word}")
    agents = Path(f"/proc/{user.pid}/task/{user.pid}/children").read_text().split()
    user.send_signal(signum)
    assert user.wait(5) == code
    user.stdout.close()
    assert gone(word)
    until = time.monotonic() + 3
    while any(Path(f"/proc/{pid}").exists() for pid in agents) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(Path(f"/proc/{pid}").exists() for pid in agents)


def test_ctrl_c_at_a_terminal_reaches_only_assay():
    """The agent has a session of its own: it is ended by us, in order, and not by the terminal."""
    sid = sh("ps -o sid= -p $PPID; echo $PPID")
    events = list(Local().collect([sid], Options()))
    session, agent = events[0].capture.data.split()
    assert session == agent


def test_it_says_what_it_will_do():
    lines = Local().describe()
    assert socket.gethostname() in lines[0]
    assert all(len(line) < 200 for line in lines)
