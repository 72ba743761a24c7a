"""`assay cve` and `assay db` as a user calls them: data on stdout, codes that scripts can read."""

import json

import pytest
from click.testing import CliRunner

from assay.advisories import database, exchange
from assay.advisories.database import Source
from assay.cli.cve import cve
from assay.cli.db import db


@pytest.fixture(autouse=True)
def _private_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A database of today, so that nothing is stale."""
    from datetime import UTC, datetime

    embedded = database.embedded()
    new = database.build(
        embedded.all(), as_of=datetime.now(UTC).date().isoformat(), sources=[Source("test")]
    )
    path = tmp_path_factory.mktemp("db") / "fresh.db"
    path.write_bytes(new.dump())
    return str(path)


def run(group, *args, input=None):
    """Exit code as `assay` gives it, stdout, stderr."""
    result = CliRunner().invoke(group, args, input=input, standalone_mode=False)
    if result.exception is not None:
        code = getattr(result.exception, "exit_code", None)
        if code is None:
            raise result.exception
        return code, result.stdout, result.stderr
    return result.return_value, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("runc", "1.2.8"), 1),
        (("runc", "1.3.6"), 0),
        (("runc", "nonsense"), 3),
        (("driver", "580.95.05"), 1),
        (("driver", "535.309.01"), 0),
        (("driver", "570.211.01"), 3),
        (("docker", "24.0.7-0ubuntu4.1", "--distro", "ubuntu:24.04"), 3),
        (("runc", "1.2.8", "--fail-on", "never"), 0),
        (("runc", "1.2.8", "--fail-on", "critical"), 1),  # nobody graded it: absent is not low
        (("slurm", "24.05.3", "--fail-on", "critical"), 0),
        (("slurm", "24.05.7", "--feature", "stepmgr=maybe"), 2),
    ],
)
def test_codes_of_one_version(args, code, fresh):
    assert run(cve, "version", *args, "--advisories", fresh)[0] == code


def test_json_on_stdout_words_on_stderr():
    code, out, err = run(cve, "version", "runc", "1.3.6", "--json")
    found = json.loads(out)
    assert (code, found["outcome"], found["stale"]) == (3, "unknown", True)
    assert "STALE" in found["because"]
    code, out, err = run(cve, "version", "runc", "1.3.6")
    assert "STALE" in err
    assert out.startswith("unknown")


def test_conditions(fresh):
    args = ("version", "nvidia-container-toolkit", "1.17.7", "--json", "--advisories", fresh)
    states = {}
    for crun in ("yes", "no"):
        _, out, _ = run(cve, *args, "--feature", f"crun={crun}")
        lines = {line["id"]: line["state"] for line in json.loads(out)["lines"]}
        states[crun] = lines["CVE-2025-23266"]
    assert states == {"yes": "not-affected", "no": "affected"}


def test_an_id_is_a_verb(fresh):
    code, out, err = run(cve, "CVE-2025-23266", "--advisories", fresh)
    assert code == 3  # known, and no run to look at
    assert "Container Toolkit" in out
    assert "no run is recorded" in err
    code, out, _ = run(cve, "CVE-2099-1", "--json")
    assert (code, json.loads(out)["outcome"]) == (3, "unknown")


def test_scan(fresh, tmp_path):
    sbom = {"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [
        {"type": "library", "name": "vllm", "purl": "pkg:pypi/vllm@0.8.5"}]}  # fmt: skip
    code, out, _ = run(cve, "scan", "-", "--json", "--advisories", fresh, input=json.dumps(sbom))
    assert code == 1
    assert json.loads(out)["found"][0]["component"] == "vllm"
    assert run(cve, "scan", "-", input="{}")[0] == 2
    assert run(cve, "scan", str(tmp_path / "none.json"))[0] == 2


def test_status_and_verify(fresh):
    code, out, err = run(db, "status", "--json")
    assert (code, json.loads(out)["stale"], json.loads(out)["records"]) == (3, True, 3301)
    assert "STALE" in err
    assert run(db, "status", "--advisories", fresh)[0] == 0
    assert run(db, "verify", fresh)[0] == 0


def test_export_and_import(fresh, tmp_path):
    assert run(db, "keygen", str(tmp_path / "site"))[0] == 0
    key, public = tmp_path / "site.key", tmp_path / "site.pub"
    assert key.stat().st_mode & 0o777 == 0o600
    signed = tmp_path / "a.signed"
    assert run(db, "export", str(signed), "--key", str(key), "--advisories", fresh)[0] == 0
    other = tmp_path / "other.pub"
    other.write_bytes(exchange.new_key().public)
    code, _, err = run(db, "import", str(signed), "--trust", str(other))
    assert code == 4
    assert "old database stays in use" in err
    assert json.loads(run(db, "status", "--json")[1])["stale"]
    assert run(db, "import", str(signed), "--trust", str(public))[0] == 0
    assert not json.loads(run(db, "status", "--json")[1])["stale"]  # it judges now
    assert run(cve, "version", "runc", "1.3.6")[0] == 0


def test_an_older_import_is_refused(fresh, tmp_path):
    pair = exchange.new_key()
    (tmp_path / "k.pub").write_bytes(pair.public)
    old = database.build(database.embedded().all(), as_of="2020-01-01", sources=[])
    (tmp_path / "old").write_bytes(exchange.export(old, pair.private))
    args = ("import", str(tmp_path / "old"), "--trust", str(tmp_path / "k.pub"))
    assert run(db, *args)[0] == 4
    assert run(db, *args, "--allow-older")[0] == 0


def test_a_damaged_own_database_does_not_judge(tmp_path):
    own = tmp_path / "state" / "assay" / "advisories" / "advisories.db"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"ASSAY-ADVISORIES 9\n{}\n")
    code, out, _ = run(cve, "version", "runc", "1.2.8", "--json")
    assert (code, json.loads(out)["affected"]) == (1, 1)


def test_build_refuses_a_bad_fact(tmp_path):
    facts = tmp_path / "facts.jsonl"
    facts.write_text('{"component": "runc"}\n')
    assert run(db, "build", str(facts), "-o", str(tmp_path / "out.db"))[0] == 2
    assert not (tmp_path / "out.db").exists()


def test_feeds_are_listed_without_a_network():
    code, out, _ = run(db, "update", "--list")
    assert code == 0
    assert "cisa-kev" in out
    assert run(db, "update", "--feed", "nobody")[0] == 2
