"""However a run over ssh ends, nothing of it stays: here or on the nodes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.engine.target import Options
from assay.kit.reading import command

pytestmark = pytest.mark.real

USER = """
import sys
from pathlib import Path
from assay.targets.ssh import Ssh
from assay.engine.target import Options
from assay.kit.reading import command
reading = command("sh", "-c", "setsid sleep {0} & sleep {0}", deadline=60)
target = Ssh(["node1", "node2"], config=Path("{1}"))
for event in target.collect([command("hostname"), reading], Options(deadline=60)):
    print(event, flush=True)
"""


def local(word):
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in words and int(path.name) != os.getpid():
            found.append(words)
    return found


def gone(find, patience=4.0):
    until = time.monotonic() + patience
    while (left := find()) and time.monotonic() < until:
        time.sleep(0.02)
    return not left


def on_nodes(lab, word):
    return [w for node in lab.nodes[:2] for w in node.pids().values() if word in w]


@pytest.mark.parametrize(
    ("signum", "code"), [(signal.SIGINT, -2), (signal.SIGTERM, -15), (signal.SIGKILL, -9)]
)
def test_however_assay_is_ended(lab, here, signum, code):
    word = f"9881{int(signum)}"
    user = subprocess.Popen(
        [sys.executable, "-c", USER.format(word, lab.config)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(here)},
    )  # fmt: skip
    assert b"Captured" in user.stdout.readline()
    assert b"Captured" in user.stdout.readline()
    assert len(list(here.iterdir())) == 1
    assert local(str(here))
    until = time.monotonic() + 5
    while len(on_nodes(lab, word)) < 4 and time.monotonic() < until:
        time.sleep(0.02)
    assert len(on_nodes(lab, word)) >= 4
    user.send_signal(signum)
    assert user.wait(5) == code
    user.stdout.close()
    assert gone(lambda: local(str(here))), local(str(here))
    assert gone(lambda: list(here.iterdir()))
    assert [node.pids() for node in lab.nodes[:2] if not node.idle()] == []


def test_closing_the_iterator_ends_everything(lab, ssh, here):
    sleep = command("sleep", "98821", deadline=60)
    events = ssh(1, 2, 3).collect([command("hostname"), sleep], Options(deadline=60))
    next(events)
    next(events)
    began = time.monotonic()
    events.close()
    assert time.monotonic() - began < 2
    assert local(str(here)) == []
    assert list(here.iterdir()) == []
    assert all(node.idle(1.5) for node in lab.nodes[:3])


def test_an_exception_in_the_reader_ends_everything(lab, ssh, here):
    def read():
        for _ in ssh(1, 2).collect([command("hostname"), command("sleep", "98822")], Options()):
            raise KeyError("full disk")

    with pytest.raises(KeyError):
        read()
    assert local(str(here)) == []
    assert list(here.iterdir()) == []
    assert all(node.idle(1.5) for node in lab.nodes[:2])


def test_no_process_is_left_after_an_ordinary_run(lab, ssh, here):
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text()
    list(ssh(1, 2, 3, 4).collect([command("hostname")], Options()))
    assert children.read_text() == before
    assert local(str(here)) == []
