"""The command as its users meet it: real processes, real exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from assay.cli.main import VERBS
from assay.demo.hosts import host
from assay.engine.catalogue import catalogue
from assay.engine.plants import apply
from assay.model.evidence import Evidence
from assay.targets.recorded import write

ASSAY = [sys.executable, "-m", "assay"]


def run(*args, home, check=None, **more):
    environment = {**os.environ, "HOME": str(home), "NO_COLOR": "1"}
    environment.pop("XDG_STATE_HOME", None)
    environment.update(more.pop("env", {}))
    done = subprocess.run(
        [*ASSAY, *map(str, args)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
        **more,
    )
    if check is not None:
        assert done.returncode == check, f"{done.returncode}: {done.stdout}{done.stderr}"
    return done


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def recording(tmp_path):
    """A sound node and one whose profiling counters are closed."""
    sound = host("hgx-h100")
    plant = catalogue().check("system.perf-events").plants[0]
    sick = apply(plant, sound)
    folder = tmp_path / "recording"
    nodes = [Evidence("node-a", sound.captures), Evidence("node-b", sick.captures)]
    write(nodes, folder, catalogue().readings(on_request=True))
    return folder


def test_help_names_every_verb_and_imports_none(home):
    code = (
        "import sys; from assay.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('rich', 'msgspec', 'sqlite3')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "audit" in done.stdout
    assert done.stdout.rstrip().endswith("[]")


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_verb_opens_with_a_runnable_example(home, verb):
    assert f"assay {verb}" in run(verb, "--help", home=home, check=0).stdout


def test_a_mistyped_verb_is_suggested(home):
    done = run("audti", home=home, check=2)
    assert "Did you mean 'audit'?" in done.stderr


def test_a_recording_is_judged_and_every_finding_names_its_evidence(home, recording):
    out = home / "run.assay"
    done = run("audit", recording, "--json", "--out", out, "--fail-on", "low", home=home, check=1)
    report = json.loads(done.stdout)
    schema = json.loads(run("schema", home=home, check=0).stdout)
    jsonschema.validate(report, schema)
    judgement = next(j for j in report["judgements"] if j["check"] == "system.perf-events")
    (finding,) = judgement["findings"]
    assert finding["nodes"] == ["node-b"]
    assert (judgement["passed"], judgement["failed"]) == (1, 1)
    evidence = next(e for e in finding["evidence"] if "perf_event_paranoid" in e["source"])
    sha = evidence["sha256"]
    shown = run("bundle", "show", sha[:12], "--in", out, home=home, check=0)
    assert "perf_event_paranoid" in shown.stdout
    raw = run("bundle", "show", sha, "--raw", "--in", out, home=home, check=0)
    assert "== /proc/sys/kernel/perf_event_paranoid answered 2\n4\n" in raw.stdout


def test_a_recheck_by_the_same_rules_gives_the_same_verdicts(home, recording):
    out = home / "run.assay"
    run("audit", recording, "--out", out, "--fail-on", "never", home=home, check=0)
    again = run("recheck", out, "--changes", home=home, check=0)
    assert again.stdout.strip() == "nothing changed"
    run("bundle", "verify", out, home=home, check=0)


def test_two_runs_are_compared(home, recording):
    one, two = home / "one.assay", home / "two.assay"
    run("audit", recording / "node-a", "--out", one, "--fail-on", "never", home=home, check=0)
    run("audit", recording / "node-b", "--out", two, "--fail-on", "never", home=home, check=0)
    done = run("bundle", "diff", one, two, home=home, check=1)
    assert "system.perf-events: pass -> fail" in done.stdout


def test_an_export_can_be_judged_again(home, recording):
    out, folder = home / "run.assay", home / "exported"
    first = run("audit", recording, "--json", "--out", out, home=home)
    run("bundle", "export", folder, "--in", out, home=home, check=0)
    second = run("audit", folder, "--json", "--no-bundle", home=home)
    outcomes = [
        {j["check"]: j["outcome"] for j in json.loads(done.stdout)["judgements"]}
        for done in (first, second)
    ]
    assert outcomes[0] == outcomes[1]


def test_a_tampered_bundle_is_not_judged(home, recording):
    import sqlite3

    out = home / "run.assay"
    run("audit", recording, "--out", out, "--fail-on", "never", home=home, check=0)
    with sqlite3.connect(out) as db:
        db.execute("UPDATE record SET body = replace(body, 'node-b', 'node-c')")
    done = run("recheck", out, home=home, check=4)
    assert "damaged" in done.stderr
    assert run("bundle", "verify", out, home=home, check=1).stdout


@pytest.mark.parametrize(
    ("args", "code", "word"),
    [
        (["audit", "/nowhere"], 4, "not a folder"),
        (["audit", "--only", "nothing.*"], 2, "no check matches"),
        (["audit", "--ssh", "a b"], 2, "no host name"),
        (["audit", "--ssh", "node", "/tmp"], 2, "one or the other"),
        (["audit", "--inventory", "/nowhere"], 2, "No such file"),
        (["explain", "system.perf-event"], 2, "Did you mean system.perf-events"),
        (["recheck", "/etc/hostname"], 4, "not an Assay bundle"),
        (["recheck"], 2, "run `assay audit`"),
        (["probes", "parse", "/nowhere"], 2, "No such file"),
        (["probes", "parse", "--as", "nonsense", "/etc/hostname"], 2, "no source is called"),
        (["audit", "--format", "nonsense"], 2, "none of"),
    ],
)
def test_what_goes_wrong_is_one_clear_sentence(home, args, code, word):
    done = run(*args, home=home)
    assert done.returncode == code, done.stderr
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_file_says_why_not(home, tmp_path):
    junk = tmp_path / "junk"
    junk.write_bytes(b"\x7fELF\x00\xff" * 100)
    done = run("probes", "parse", junk, "--json", home=home, check=3)
    assert json.loads(done.stdout)["unknown"]


def test_this_machine_is_audited_and_nothing_else_is_written(home):
    done = run("audit", "--json", "--fail-on", "never", home=home, check=0)
    report = json.loads(done.stdout)
    assert [node["state"] for node in report["nodes"]] == ["read"]
    assert report["errors"] == []
    files = [path for path in home.rglob("*") if path.is_file()]
    assert [path.suffix for path in files] == [".assay"]
    assert files[0].stat().st_mode & 0o777 == 0o600
    assert files[0].parent.stat().st_mode & 0o777 == 0o700


def test_a_home_that_cannot_be_written_is_said_plainly(home):
    done = run("audit", home=home, env={"XDG_STATE_HOME": "/proc/nowhere"})
    assert done.returncode == 2
    assert "--no-bundle" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_leaves_no_process(home, number):
    environment = {**os.environ, "HOME": str(home), "ASSAY_MARK": str(os.getpid())}
    process = subprocess.Popen(
        [*ASSAY, "audit", "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(0.45)
    process.send_signal(number)
    process.communicate(timeout=20)
    # it may have been done already, or not yet begun
    assert process.returncode in (130, 0, 1, 3, -number)
    assert left_in_session(process.pid) == []


def left_in_session(session):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(stat.parent.name)
    return found


NEW_ADVISORY = {
    "component": "runc",
    "cve": "CVE-2099-0001",
    "aliases": [],
    "cvss": 9.9,
    "severity": "critical",
    "title_in_own_words": "Escape from a container",
    "affected": [{"introduced": None, "fixed": "99.0.0", "scope": "range"}],
    "platforms": ["linux"],
    "source_url": "https://example.org/advisory",
    "refs": [],
    "published": "2099-01-01",
    "kev": True,
    "sources": ["golang-vulndb"],
    "layer": "container-runtime",
}


def test_a_newer_database_turns_an_old_pass_into_a_fail_without_the_cluster(home, recording):
    out, facts, database = home / "run.assay", home / "facts.jsonl", home / "newer.db"
    facts.write_text(json.dumps(NEW_ADVISORY) + "\n")
    run("db", "build", facts, "-o", database, "--as-of", "2099-01-02", home=home, check=0)
    sound = recording / "node-a"
    only = ("--only", "advisories.container-runtime", "--json")
    first = json.loads(run("audit", sound, "--out", out, *only, home=home).stdout)
    assert first["judgements"][0]["failed"] == 0
    done = run("recheck", out, "--changes", "--advisories", database, home=home, check=1)
    assert "advisories.container-runtime" in done.stdout
    assert "CVE-2099-0001" in done.stdout
