import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.collector.stream import ARGV, Hello, Reader, request
from assay.engine.target import Options
from assay.kit.pack import load
from assay.model.evidence import Capture


class Collected:
    """What a real agent, run to its end, sent for a reading list."""

    def __init__(self, readings, data, process):
        self.data = data
        self.returncode = process.returncode
        self.stderr = process.stderr
        self.reader = Reader(readings)
        frames = self.reader.feed(data)
        self.why = self.reader.close()
        self.captures = {f.source: f for f in frames if isinstance(f, Capture)}
        self.hello = next(f for f in frames if isinstance(f, Hello))

    def __getitem__(self, reading):
        return self.captures[reading.source]


@pytest.fixture
def collect():
    """Run the agent over readings; the stream has to be whole."""

    def run(*readings, python=sys.executable, cwd="/", **options):
        stream = request(readings, Options(**{"salt": "test", **options}))
        done = subprocess.run(
            [python, *ARGV], input=stream, capture_output=True, timeout=60, check=False, cwd=cwd
        )
        found = Collected(readings, done.stdout, done)
        assert not found.why, (found.why, done.stderr)
        assert done.returncode == 0
        assert done.stderr == b""
        return found

    return run


def _pythons():
    found = {}
    folders = [*os.environ["PATH"].split(":"), *Path.home().glob(".pyenv/versions/3.*/bin")]
    for minor in range(6, 20):
        for folder in folders:
            path = shutil.which(f"python3.{minor}", path=str(folder))
            if (
                path
                and subprocess.run([path, "-V"], capture_output=True, check=False).returncode == 0
            ):
                found.setdefault(minor, path)
    return found


@pytest.fixture(scope="session")
def pythons():
    """Every Python 3 of this machine, by minor version."""
    return _pythons()


def _processes(word):
    """Processes with *word* in their command line or environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            text = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
        except OSError:
            continue
        if word.encode() in text and int(path.name) != os.getpid():
            found.append(int(path.name))
    return found


@pytest.fixture
def entries():
    """The entries of a pack by path."""
    return lambda capture: {e.path: (e.status, e.data) for e in load(capture.data)}


@pytest.fixture
def wait_for():
    """Wait until a process with this word in its command line is there."""

    def wait(word):
        until = time.monotonic() + 5
        while not _processes(word) and time.monotonic() < until:
            time.sleep(0.01)
        assert _processes(word)

    return wait


@pytest.fixture
def gone():
    """Is there no process with this word any more, or soon?"""

    def check(word, patience=3.0):
        until = time.monotonic() + patience
        while (left := _processes(word)) and time.monotonic() < until:
            time.sleep(0.02)
        return not left

    return check
