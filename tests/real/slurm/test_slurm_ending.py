"""However an audit of a real Slurm cluster ends, no job of it is left, and no process."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.engine.target import Captured, Options
from assay.kit.reading import command
from assay.targets.slurm import Slurm
from assay.targets.slurm_view import Terms

pytestmark = pytest.mark.real

USER = """
from assay.engine.target import Options
from assay.kit.reading import command
from assay.targets.slurm import Slurm
readings = [command("echo", "x"), command("sleep", "{0}", deadline=60)]
for event in Slurm().collect(readings, Options(deadline=60)):
    print(event, flush=True)
"""


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


def nothing_left(lab, word, patience=6.0):
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if not lab.jobs() and not processes(word) and not lab.clients():
            return True
        time.sleep(0.05)
    return False


def wait_for(word, count):
    until = time.monotonic() + 10
    while len(processes(word)) < count and time.monotonic() < until:
        time.sleep(0.02)
    assert len(processes(word)) >= count


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP])
def test_a_signal_in_the_middle_leaves_no_job(slurm, signum):
    lab = slurm(4)
    word = f"9861{int(signum):02}"
    user = subprocess.Popen(
        [sys.executable, "-c", USER.format(word)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=lab.environment,
    )
    assert b"Captured" in user.stdout.readline()
    wait_for(f"sleep\0{word}", 4)
    assert len(lab.jobs()) == 1
    user.send_signal(signum)
    assert user.wait(5) == -signum
    user.stdout.close()
    assert nothing_left(lab, f"sleep\0{word}")
    lab.quiet()


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_while_the_job_waits_for_nodes_leaves_no_job(slurm, signum, tmp_path):
    lab = slurm(2)
    lab.occupy("node[001-002]")
    text = "from assay.targets.slurm_nodes import Node\nNode.full = lambda *_, **__: ''\n"
    user = subprocess.Popen([sys.executable, "-c", text + USER.format("1")], env=lab.environment)
    until = time.monotonic() + 5
    while len(lab.jobs()) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    assert any(" PENDING" in job for job in lab.jobs())
    user.send_signal(signum)
    assert user.wait(5) == -signum
    until = time.monotonic() + 6
    while len(lab.jobs()) > 1 and time.monotonic() < until:
        time.sleep(0.05)
    assert [job.split()[1] for job in lab.jobs()] == ["other-0"]


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_inside_an_allocation_ends_the_step_and_not_the_job(slurm, signum):
    lab = slurm(2)
    job = lab.occupy("node[001-002]")
    word = f"9862{int(signum):02}"
    user = subprocess.Popen(
        [sys.executable, "-c", USER.format(word)],
        stdout=subprocess.PIPE,
        env={**lab.environment, "SLURM_JOB_ID": job},
    )
    assert b"Captured" in user.stdout.readline()
    wait_for(f"sleep\0{word}", 2)
    user.send_signal(signum)
    user.wait(5)
    user.stdout.close()
    until = time.monotonic() + 6
    while processes(f"sleep\0{word}") and time.monotonic() < until:
        time.sleep(0.05)
    assert processes(f"sleep\0{word}") == []
    assert len(lab.jobs()) == 1


def children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_closing_the_iterator_ends_everything(slurm):
    lab = slurm(4)
    before = children()
    readings = [command("echo", "x"), command("sleep", "98631", deadline=60)]
    events = Slurm(Terms(), lab.environment).collect(readings, Options(deadline=60))
    assert isinstance(next(events), Captured)
    wait_for("sleep\x0098631", 4)
    events.close()
    assert lab.jobs() == []
    assert nothing_left(lab, "sleep\x0098631")
    assert children() == before


def test_an_exception_in_the_reader_ends_everything(slurm):
    lab = slurm(2)
    readings = [command("echo", "x"), command("sleep", "98632", deadline=60)]

    def read():
        for _ in Slurm(Terms(), lab.environment).collect(readings, Options(deadline=60)):
            raise KeyError("full disk")

    with pytest.raises(KeyError):
        read()
    assert nothing_left(lab, "sleep\x0098632")


def test_nothing_is_written_on_a_node_or_here(slurm, audit, tmp_path):
    lab = slurm(2)
    began = time.time() - 1
    audit(lab, readings=[command("echo", "x")])
    places = [Path(place) for place in ("/tmp", "/var/tmp", "/", "/root", "/dev/shm", ".")]
    fresh = [
        path
        for place in places
        for path in place.glob("*")
        if "slurm" in path.name
        and not path.name.startswith("assay-slurm-")
        and path.lstat().st_mtime > began
    ]
    assert fresh == []
