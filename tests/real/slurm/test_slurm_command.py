"""`assay audit --slurm` as a user of the head node meets it."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.real


def assay(lab, *args, home):
    environment = {**lab.environment, "HOME": str(home), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "assay", *args],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_every_node_is_audited_by_one_job_and_sick_ones_are_rows(slurm, tmp_path):
    lab = slurm(4)
    lab.ask("scontrol", "update", "nodename=node002", "state=drain", "reason=gpu fell off")
    done = assay(lab, "audit", "--slurm", "--json", home=tmp_path)
    report = json.loads(done.stdout)
    rows = {row["name"]: row for row in report["nodes"]}
    assert {name: rows[name]["state"] for name in ("node001", "node003", "node004")} == {
        "node001": "read",
        "node003": "read",
        "node004": "read",
    }
    assert rows["node002"]["state"] == "unread"
    assert "gpu fell off" in rows["node002"]["reason"]
    assert lab.submissions() == 1
    assert lab.jobs() == []
    assert report["errors"] == []
    by_check = {j["check"]: j for j in report["judgements"]}
    drained = by_check["slurm.nodes-available"]
    assert drained["outcome"] == "fail"
    assert any("node002" in f["subject"] + f["because"] for f in drained["findings"])
    # the head was asked about the cluster, not about itself: no unknowns of its own
    heads = [row["name"] for row in report["nodes"] if row["head"]]
    for judgement in report["judgements"]:
        for finding in judgement["findings"]:
            if finding["outcome"] == "unknown" and not judgement["check"].startswith("slurm."):
                assert not set(finding["nodes"]) & set(heads), finding
    assert done.returncode in (1, 3), done.stderr


def test_plan_says_what_it_would_do_and_begins_nothing(slurm, tmp_path):
    lab = slurm(2)
    done = assay(lab, "plan", "--slurm", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 nodes" in done.stdout
    assert lab.submissions() == 0
