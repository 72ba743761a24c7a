import io
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from sample import CHECKS

from assay.kit.annotations import Need
from assay.kit.plant import Edit, plant
from assay.kit.reading import files
from assay.model.evidence import Status
from assay.model.facts.system import Sysctl
from assay.reports.explain import Explanation

READING = files("/proc/sys/{kernel,vm}/*")
CHECK = replace(
    CHECKS["system.perf-events"],
    needs={"settings": Need(Sysctl)},
    plants=(
        plant(Edit(READING.source, "4\n", path="/proc/sys/kernel/perf_event_paranoid")),
        plant(Edit("dmesg", new="b", old="a"), Edit("x", status=Status.DENIED), name="no root"),
    ),
)


def printed(check, readings: Sequence = (), width=100):
    stream = io.StringIO()
    Console(file=stream, width=width, _environ={}).print(Explanation(check, readings))
    return stream.getvalue()


def test_the_screen_of_a_check(stored):
    assert printed(CHECK, [READING]) == stored("txt")


def test_it_fits_a_narrow_terminal():
    assert max(map(len, printed(CHECK, [READING], 50).split("\n"))) <= 50
