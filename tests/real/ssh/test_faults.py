"""Nodes that fail, all in one run with sound ones: each is a row with its reason, on time."""

import contextlib
import os
import re
import shutil
import signal
import sys
import time

import pytest

from assay.engine.target import Captured, Options
from assay.kit.reading import command
from assay.model.report import NodeState
from assay.targets.ssh import Ssh

pytestmark = pytest.mark.real

SOUND = ("node1", "node2", "node3")
DEADLINE = 6.0
UNREAD = {
    "node4": r"host key is not known in \S+; nothing was sent to it. Run `ssh .*node4` once",
    "mute@node5": r"given up after \d+ s: it did not begin our command",
    "flood@node5": r"ran something else than our command .*flooded",
    "floodserr@node5": r"floods its error output: 'flooded'",
    "nologin@node5": r"ran something else than our command .*not available",
    "node6": r"it has no python3 \(looked in",
    "node7": r"its Python is 3\.5\.2; 3\.6 or newer is needed",
    "node8": r"(?s)the host key of \S+ has changed: it sends SHA256:\S+, and \S+known:\d+ has"
    r" another.*man in the middle.*ssh-keygen -f \S+known -R '\S+', then `ssh .*node8`",
    "node10": r"ran something else than our command \(a forced command",
    "node11": r"port 22 is closed",
    "node12": r"its port is open, but its sshd does not answer",
    "ghost": r"nothing answers at port 22",
    "nobody": r"it cannot be reached: No route to host|nothing answers at port 22",
    "no-such-name.invalid": r"its name has no address",
    "locked": r"refuses the login: none of your keys is accepted .*publickey.*; try `ssh",
}


@pytest.fixture
def everything(lab, here):
    """One pass over all of them: rows, captures, seconds until each row, seconds for all."""
    known = lab.folder / "known"
    known.write_text(
        "".join(lab.host_key(n) for n in lab.nodes if n.name not in ("node4", "node8"))
    )
    with known.open("a") as file:
        file.write(lab.host_key(lab.nodes[7], of=lab.nodes[0]))
    module = sys.modules["ssh_lab"]
    stranger = lab.folder / "stranger"
    if not stranger.exists():
        lab.keygen(stranger)
    config = lab.write_config(
        "faults",
        f"Host ghost\n  HostName {module.GHOST}\nHost nobody\n  HostName {module.NOBODY}\n"
        f"Host locked\n  HostName {lab.nodes[0].address}\n  IdentityFile {stranger}\n"
        f"  IdentitiesOnly yes\n  IdentityAgent none\n  UserKnownHostsFile {known}\n"
        "  GlobalKnownHostsFile /dev/null\n",
        known,
    )
    text = config.read_text()  # `locked` must not get the good key too
    config.write_text(text.replace("Host *\n", "Host * !locked\n"))
    target = Ssh([*SOUND, *UNREAD], config=config)
    rows, captures, times = {}, {}, {}
    began = time.monotonic()
    for event in target.collect([command("hostname")], Options(deadline=DEADLINE)):
        if isinstance(event, Captured):
            captures[event.node] = event.capture.data
        else:
            rows[event.name] = event
            times[event.name] = time.monotonic() - began
    return rows, captures, times, time.monotonic() - began


def test_each_fault_has_its_reason_and_the_rest_is_read_on_time(everything, lab, here):
    rows, captures, times, seconds = everything
    assert set(rows) == {*SOUND, *UNREAD}
    for name in SOUND:
        assert rows[name].state is NodeState.READ, rows[name]
        assert captures[name] == name.encode() + b"\n"
        assert times[name] < DEADLINE
    for name, pattern in UNREAD.items():
        row = rows[name]
        assert row.state is NodeState.UNREAD, row
        assert re.search(pattern, row.reason), row.reason
        assert len(row.reason) < 500
        assert "\n" not in row.reason
    assert set(captures) == set(SOUND)
    assert seconds < DEADLINE + 3  # no node had begun, so there is no grace; a busy machine
    assert list(here.iterdir()) == []
    assert all(node.idle() for node in lab.nodes)


def begin(ssh, lab, *, number, readings, deadline=60.0, **options):
    """A run over a node and a sound one; it has come to the first answer of the node."""
    events = ssh(number, 1, **options).collect(readings, Options(deadline=deadline))
    seen = []
    for event in events:
        seen.append(event)
        if isinstance(event, Captured) and event.node == f"node{number}":
            return events, seen
    raise AssertionError(seen)


def agent_of(node, word="-I -S -"):
    until = time.monotonic() + 5
    while time.monotonic() < until:
        for pid, words in node.pids().items():
            if words.startswith("python3") and words.rstrip().endswith(word):
                return pid
        time.sleep(0.02)
    raise AssertionError(node.pids())


def wait_for(node, word):
    until = time.monotonic() + 5
    while not any(word in w for w in node.pids().values()):
        assert time.monotonic() < until, node.pids()
        time.sleep(0.01)


SLEEP = command("sh", "-c", "setsid sleep 98801 & sleep 98801", deadline=60)
READINGS = [command("hostname"), SLEEP]


def test_a_node_that_hangs_in_the_middle_is_given_up_and_cleared(lab, ssh):
    node = lab.nodes[1]
    readings = [
        command("hostname"),
        command("sh", "-c", "setsid sleep 98802 & sleep 98802", deadline=60),
    ]
    began = time.monotonic()
    events, _ = begin(ssh, lab, number=2, readings=readings, deadline=4)
    wait_for(node, "98802")
    os.kill(agent_of(node), signal.SIGSTOP)
    rows = {e.name: e for e in events if not isinstance(e, Captured)}
    assert time.monotonic() - began < 4 + 3 + 3
    assert rows["node2"].state is NodeState.PARTIAL
    assert "given up after 7 s: cut off after 1 of 2 answers" in rows["node2"].reason
    assert rows["node1"].state is NodeState.READ  # its sleep had its own end
    assert node.idle(), node.pids()  # the stopped agent too


def test_a_connection_that_is_cut_in_the_middle(lab, ssh):
    node = lab.nodes[1]
    events, _ = begin(ssh, lab, number=2, readings=READINGS, deadline=3)
    node.link("down")
    try:
        rows = {e.name: e for e in events if not isinstance(e, Captured)}
        assert rows["node2"].state is NodeState.PARTIAL
        assert "cut off after 1 of 2 answers" in rows["node2"].reason
        assert rows["node1"].state is NodeState.READ
        assert node.idle(12), node.pids()  # the agent's own deadline ends it
    finally:
        node.link("up")


def test_an_agent_that_is_killed_leaves_nothing(lab, ssh):
    node = lab.nodes[1]
    events, _ = begin(ssh, lab, number=2, readings=READINGS)
    wait_for(node, "98801")
    os.kill(agent_of(node), signal.SIGKILL)
    for event in events:
        if not isinstance(event, Captured) and event.name == "node2":
            break
    assert event.state is NodeState.PARTIAL
    assert "cut off after 1 of 2 answers" in event.reason
    assert node.idle(2), node.pids()
    events.close()
    assert lab.nodes[0].idle()


def test_an_sshd_that_dies_in_the_middle(lab, ssh):
    node = lab.nodes[2]
    events, _ = begin(ssh, lab, number=3, readings=READINGS)
    wait_for(node, "98801")
    session = [pid for pid, words in node.sshds().items() if words.startswith("sshd: root")]
    assert session
    for pid in session:
        os.kill(pid, signal.SIGKILL)
    for event in events:
        if not isinstance(event, Captured) and event.name == "node3":
            break
    assert event.state is NodeState.PARTIAL
    assert "the connection was lost: cut off after 1 of 2 answers" in event.reason
    assert node.idle(), node.pids()
    events.close()


def test_a_busy_sshd_that_hangs_up_is_tried_again(lab, ssh, tmp_path, monkeypatch):
    """What a full MaxStartups looks like: the connection closes before the login, once."""
    real = shutil.which("ssh")
    once = tmp_path / "bin"
    once.mkdir()
    (once / "ssh").write_text(
        f'#!/bin/sh\ncase "$*" in *" -G "*) exec {real} "$@";; esac\n'
        f"if mkdir {tmp_path}/tried 2>/dev/null; then\n"
        "  echo 'kex_exchange_identification: Connection closed by remote host' >&2; exit 255\nfi\n"
        f'exec {real} "$@"\n'
    )
    (once / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{once}:{os.environ['PATH']}")
    *_, row = ssh(1).collect([command("hostname")], Options())
    assert (tmp_path / "tried").exists()
    assert row.state is NodeState.READ


def test_more_silent_nodes_than_places_do_not_hold_up_the_others(lab, ssh):
    module = sys.modules["ssh_lab"]
    ghosts = [f"u{n}@{module.GHOST}" for n in range(8)]
    began = time.monotonic()
    sound = {}
    with contextlib.closing(
        ssh(*ghosts, 1, 2, logins=4).collect([command("hostname")], Options(deadline=20))
    ) as events:
        for event in events:
            if not isinstance(event, Captured) and event.name in ("node1", "node2"):
                sound[event.name] = time.monotonic() - began
                if len(sound) == 2:
                    break
    assert max(sound.values()) < 10  # two rounds of two seconds each; a connection times out at ten
