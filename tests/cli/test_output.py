"""Output ends up where it was asked for, whole, and nothing else is harmed."""

import json
import os
import stat
import subprocess
import sys

import pytest

from assay.cli.output import save

ASSAY = [sys.executable, "-m", "assay"]


def demo(*args, home, **more):
    environment = {**os.environ, "HOME": str(home), **more.pop("env", {})}
    return subprocess.run(
        [*ASSAY, *map(str, args)],
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
        **more,
    )


def test_a_device_or_a_pipe_is_written_to_and_not_replaced(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to make a device node")
    node = tmp_path / "null"
    os.mknod(node, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    save(node, "text")
    assert stat.S_ISCHR(node.stat().st_mode)


def test_a_link_keeps_pointing_to_its_file(tmp_path):
    target, link = tmp_path / "real", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    save(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_json_on_stdout_beside_a_file(tmp_path):
    done = demo("demo", "--json", "--format", f"html={tmp_path / 'x.html'}", "-q", home=tmp_path)
    assert json.loads(done.stdout)["schema"] == "assay.report/1"
    assert (tmp_path / "x.html").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("where", ["/nonexistent/x.html", "", "/tmp"])
def test_a_report_that_cannot_be_written_is_said_before_the_work(tmp_path, where):
    done = demo("audit", "--html", where, home=tmp_path)
    assert done.returncode == 2
    assert b"cannot write" in done.stderr
    assert not list(tmp_path.rglob("*.assay"))


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii", "LC_ALL": "POSIX"},
        {"PYTHONIOENCODING": "latin-1"},
        {"COLUMNS": "0"},
        {"COLUMNS": "x"},
        {"TERM": "dumb", "LC_ALL": "de_DE"},
    ],
)
def test_no_terminal_is_too_poor(tmp_path, env):
    done = demo("demo", home=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 2000


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_is_no_bug(tmp_path, closed):
    done = demo("demo", "-q", home=tmp_path, preexec_fn=lambda: os.close(closed))
    assert done.returncode == 0


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "1e308", "soon"])
def test_an_odd_deadline_is_refused(tmp_path, seconds):
    done = demo("audit", "--deadline", seconds, home=tmp_path)
    assert done.returncode == 2
    assert b"seconds" in done.stderr


def test_without_a_home_it_says_what_to_do(tmp_path):
    done = demo("audit", home=tmp_path, env={"HOME": "", "XDG_STATE_HOME": ""})
    assert done.returncode in (0, 1, 2, 3)  # root has a home in the passwd file
    assert b"Traceback" not in done.stderr


def test_a_full_disk_costs_the_evidence_and_not_the_verdicts(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small tmpfs")
    full = tmp_path / "full"
    full.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=72k", "tmpfs", str(full)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("cannot mount a tmpfs here")
    try:
        out = full / "x.assay"
        done = demo("audit", "--out", out, "--json", "--fail-on", "never", home=tmp_path)
    finally:
        subprocess.run(["umount", "-l", str(full)], check=True)
    assert b"evidence was not kept" in done.stderr
    assert json.loads(done.stdout)["judgements"]
    assert done.returncode == 3
