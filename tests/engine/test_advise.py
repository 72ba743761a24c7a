"""Answers for versions, fleets and recorded runs."""

from dataclasses import replace
from datetime import date

import pytest

from assay.advisories import database, session
from assay.advisories.feeds import refresh
from assay.demo.hosts import hosts
from assay.engine import advise
from assay.engine.catalogue import catalogue
from assay.engine.judge import Facts, judge
from assay.engine.plants import apply
from assay.engine.understand import Understanding
from assay.kit.plant import Edit, plant
from assay.model.advisory import Advisory, Range, State
from assay.model.outcome import Outcome

DAY = date(2026, 9, 1)


def told(name, version, **options):
    with session.judging(today=DAY) as now:
        return advise.tell(now, advise.stated(name, version, **options))


@pytest.mark.parametrize(
    ("name", "version", "distro", "outcome", "affected", "to"),
    [
        ("runc", "1.2.8", "", Outcome.FAIL, 1, "1.3.6"),
        ("runc", "1.1.5", "", Outcome.FAIL, 6, "1.3.6"),
        ("runc", "1.3.6", "", Outcome.PASS, 0, ""),
        ("runc", "1.1.5+ds1-1+deb12u1", "debian:12", Outcome.UNKNOWN, 0, ""),
        ("docker", "24.0.7-0ubuntu4.1", "ubuntu:24.04", Outcome.UNKNOWN, 0, ""),
        ("docker", "24.0.7-0ubuntu4.1", "", Outcome.UNKNOWN, 0, ""),
        ("driver", "580.95.05", "", Outcome.FAIL, 13, "580.159.03"),
        ("driver", "535.309.01", "", Outcome.PASS, 0, ""),
        ("driver", "570.211.01", "", Outcome.UNKNOWN, 0, ""),
        ("linux", "6.8.0-1054-nvidia", "ubuntu:24.04", Outcome.FAIL, 3, "6.8.0-1055.58"),
        ("linux", "6.8.0-1007-nvidia", "", Outcome.FAIL, 3, "6.8.0-1055.58"),
        ("linux", "6.8.0-1003-gke", "", Outcome.FAIL, 3, "6.8.0-1055.61"),
        ("linux", "6.8.0-123.123", "", Outcome.FAIL, 4, "6.8.0-137.137"),
        ("linux", "6.8.0-124.124", "ubuntu:24.04", Outcome.FAIL, 1, "6.8.0-137.137"),
        ("linux", "6.1.76-1", "debian:12", Outcome.UNKNOWN, 0, ""),
        ("linux", "5.14.0-427.13.1.el9_4", "rhel:9", Outcome.UNKNOWN, 0, ""),
        ("linux", "6.12.0-100.el10", "rocky:10", Outcome.UNKNOWN, 0, ""),
        ("linux", "6.6.50", "rocky:9", Outcome.UNKNOWN, 0, ""),
        ("slurm", "24.05.3", "", Outcome.FAIL, 2, "24.05.8"),
        ("nothing-we-know", "1.0", "", Outcome.UNKNOWN, 0, ""),
        ("runc", "latest", "", Outcome.UNKNOWN, 0, ""),
        ("runc", "", "", Outcome.UNKNOWN, 0, ""),
        ("kubelet", "v1.29.1-eks-508b6b3", "", Outcome.UNKNOWN, 0, ""),
    ],
)
def test_one_version(name, version, distro, outcome, affected, to):
    found = told(name, version, built_by=distro)
    assert (found.outcome, found.affected, found.upgrade_to) == (outcome, affected, to)
    assert found.because


def test_every_line_names_its_record():
    found = told("runc", "1.2.8")
    assert all(len(line.sha256) == 64 for line in found.lines)
    (line,) = [line for line in found.lines if line.state is State.AFFECTED]
    assert line.severity is None
    assert line.sources == ("govulndb",)
    assert found.database_sha256 == database.embedded().sha256


def test_an_upgrade_clears_everything_it_says():
    for name, version in [
        ("containerd", "1.7.20"), ("docker", "20.10.5"), ("vllm", "0.8.5"), ("linux", "6.6.50"),
        ("cuda", "12.2"), ("openssh", "9.6p1"), ("nvidia-vgpu-manager", "535.154.02"),
        ("kubelet", "1.31.0"),
    ]:  # fmt: skip
        before = told(name, version)
        after = told(name, before.upgrade_to)
        still = [line for line in after.lines if line.state is State.AFFECTED]
        assert all(not line.fix for line in still), name
        assert before.affected > len(still), name


RECORDED = [replace(evidence, node=f"{name}-{n}") for name, evidence in hosts().items()
            for n in range(3)]  # fmt: skip
OLD = replace(
    apply(plant(Edit("runc --version", "runc version 1.2.8", "runc version 1.3.6")),
          hosts()["hgx-h100"]), node="old",
)  # fmt: skip


def test_which_hosts_and_why():
    inventories = advise.inventories([*RECORDED, OLD], catalogue().probes)
    assert len(inventories) == 7
    with session.judging(today=DAY) as now:
        found = advise.reach(now, "cve-2026-41579", inventories)
        by_alias = advise.reach(now, "GO-2026-5761", inventories)
        unheard = advise.reach(now, "CVE-2099-1", inventories)
    assert found.outcome is Outcome.FAIL
    first = found.groups[0]
    assert (first.state, first.nodes, first.fix) == (State.AFFECTED, ("old",), "1.3.6")
    assert sum(len(g.nodes) for g in found.groups if g.state is State.FIXED) >= 6
    assert by_alias.groups == found.groups
    assert (unheard.outcome, unheard.groups) == (Outcome.UNKNOWN, ())


def test_old_evidence_under_a_newer_database():
    """What `assay recheck` does: no cluster, a newer database, another verdict."""
    known = catalogue()
    understanding = Understanding(known.probes)
    for evidence in RECORDED:
        understanding.add(evidence)
    facts = Facts(understanding)
    checks = [check for check in known.checks if check.area == "advisories"]
    new = refresh.merge(
        database.embedded(),
        [refresh.Fetched(refresh.all_feeds()["govulndb"], (
            Advisory("runc", "CVE-2030-1", "A", (Range(fixed="1.3.9"),), sources=("govulndb",)),
        ), "https://example.org", "2026-09-01", "00")],
        as_of="2026-09-01",
    )  # fmt: skip
    with session.judging(today=DAY):
        before = {j.check: j for j in judge(checks, facts)[0]}
    with session.judging(new, DAY):
        after = {j.check: j for j in judge(checks, facts)[0]}
    name = "advisories.container-runtime"
    assert before[name].outcome is Outcome.PASS
    assert after[name].outcome is Outcome.FAIL
    assert "CVE-2030-1" in after[name].findings[0].because
    assert len(after[name].findings[0].nodes) == 6


def test_equal_inventories_share_one_answer():
    inventories = advise.inventories(RECORDED, catalogue().probes)
    with session.judging(today=DAY) as now:
        found = advise.fleet(now, inventories)
    assert found["mi300x-0"] is found["mi300x-2"]
