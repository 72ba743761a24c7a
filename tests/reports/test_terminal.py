import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console
from sample import CASES, CHECKS, EVERY, excerpt, fleet, large, one_machine

from assay.reports.terminal import Screen


def printed(report, width=100, encoding="utf-8", verbose=False, **options):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    console = Console(file=stream, width=width, _environ={}, **options)
    console.print(Screen(report, CHECKS, excerpt, verbose=verbose))
    stream.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("case", CASES)
def test_the_screen(case, stored):
    assert printed(CASES[case]()) == stored("txt")


def test_the_whole_screen(stored):
    assert printed(one_machine(), verbose=True) == stored("txt")


@pytest.mark.parametrize("width", [100, 80, 60, 40, 24])
@pytest.mark.parametrize("case", EVERY)
def test_it_fits(case, width):
    lines = printed(EVERY[case](), width).split("\n")
    assert max(map(cell_len, lines)) <= width
    assert not any(line.endswith(" ") for line in lines)


def test_a_wide_terminal_does_not_stretch_it():
    assert max(map(cell_len, printed(fleet(), 240).split("\n"))) <= 100


def test_the_first_and_the_last_line_are_the_answer():
    lines = printed(fleet()).rstrip().split("\n")
    assert lines[0].startswith("✗ FAIL  slurm:gpu: 8 of 21 checks fail")
    assert lines[-2] == lines[0]
    assert lines[-1] == "Next: assay explain accelerator.xid-fatal"


def test_colour_says_nothing_that_words_do_not_say():
    coloured = printed(fleet(), force_terminal=True, color_system="truecolor")
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == printed(fleet())


def test_no_colour_in_a_pipe_or_with_no_color():
    assert "\x1b" not in printed(fleet())
    stream = io.StringIO()
    environment = {"NO_COLOR": "1", "TERM": "xterm-256color"}
    console = Console(file=stream, force_terminal=True, width=100, _environ=environment)
    console.print(Screen(fleet(), CHECKS))
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", stream.getvalue())


def test_an_ascii_terminal_gets_ascii():
    said = printed(fleet(), encoding="ascii")
    assert said.startswith("x FAIL")
    assert said.isascii()


def test_twelve_thousand_nodes_fit_on_a_page():
    said = printed(large())
    assert said.count("\n") < 80
    assert "pod[00-24]-gpu[000-499]" in said
    assert "… and 95 more (--verbose shows them)" in said


def test_many_failures_are_told_in_short_after_the_worst():
    checks = {f"area.check-{at:02}": CHECKS["system.clock"] for at in range(30)}
    base = one_machine()
    bad = next(j for j in base.judgements if j.check == "accelerator.pcie-width")
    many = replace(base, judgements=tuple(replace(bad, check=check) for check in checks))
    assert printed(many).count("  why ") == 12
    assert printed(many).count("  seen ") == 30
    assert "In short from here on" in printed(many)
    assert printed(many, verbose=True).count("  why ") == 30
