"""Labs for the tests of this folder. Without Slurm here they are skipped, by name."""

import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assay.engine.target import Captured, Options
from assay.kit.reading import command, files
from assay.targets.slurm import Slurm
from assay.targets.slurm_view import Terms

READINGS = [
    command("echo", "hello"),
    files("/proc/version"),
    command("no-such-tool-here"),
    command("sh", "-c", "head -c 300000 /dev/urandom | base64", name="large"),
]


def load():
    """The module beside this file; with importlib's import mode it is not on the path."""
    if "slurm_lab" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "slurm_lab", Path(__file__).with_name("lab.py")
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules["slurm_lab"] = module
        spec.loader.exec_module(module)
    return sys.modules["slurm_lab"]


@pytest.fixture
def slurm():
    """Gives clusters: ``slurm(8)``. All are down when the test ends, and nothing is left."""
    lab = load()
    if why := lab.missing():
        pytest.skip(f"real Slurm: {why}")
    running = []

    def start(nodes=8, **settings):
        if why := lab.missing(isolated=settings.get("isolated", False)):
            pytest.skip(f"real Slurm: {why}")
        running.append(lab.Lab(nodes, **settings).__enter__())
        return running[-1]

    yield start
    for one in running:
        one.down()
    assert [one.strays() for one in running] == [[] for _ in running]


@dataclass
class Told:
    """What an audit told, and when."""

    rows: dict = field(default_factory=dict)
    captures: dict = field(default_factory=dict)  # node -> source -> capture
    at: dict = field(default_factory=dict)  # node -> seconds until its row
    seconds: float = 0.0
    target: Slurm | None = None

    def nodes(self, state):
        return {name for name, row in self.rows.items() if row.state == state}


@pytest.fixture
def audit() -> Callable[..., Told]:
    """Audits a lab, and checks what must hold however it goes."""

    def run(lab, terms=None, readings=READINGS, deadline=20.0, environment=None, expect=None):
        told = Told(target=Slurm(terms or Terms(), environment or lab.environment))
        began = time.monotonic()
        for event in told.target.collect(readings, Options(deadline=deadline)):
            if isinstance(event, Captured):
                captures = told.captures.setdefault(event.node, {})
                assert event.capture.source not in captures
                assert event.node not in told.rows
                captures[event.capture.source] = event.capture
            else:
                assert event.name not in told.rows
                told.rows[event.name] = event
                told.at[event.name] = time.monotonic() - began
        told.seconds = time.monotonic() - began
        assert told.seconds < deadline
        return told

    return run
