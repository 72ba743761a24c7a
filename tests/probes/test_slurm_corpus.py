"""Real Slurm outputs: values written down from their text."""

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.slurm import (
    ControllerRpc,
    ControllerStatistics,
    SlurmController,
    SlurmSetting,
)

pytestmark = pytest.mark.corpus


@pytest.fixture
def facts(samples):
    def read(name):
        found = parse((samples / f"slurm-{name}-1.txt").read_bytes(), catalogue().probes)
        assert not found.unknown
        return [fact for result in found.results for fact in result.facts]

    return read


def test_config(facts):
    found = facts("scontrol_show_config")
    settings = {f.name: f.value for f in found if isinstance(f, SlurmSetting)}
    assert len(settings) == 241
    assert settings["DefMemPerNode"] == "61440"
    assert settings["HealthCheckProgram"] == ""
    assert settings["MessageTimeout"] == "100 sec"
    assert settings["PowerPlugin"] == ""
    assert SlurmSetting("ConstrainDevices", "yes", "cgroup") in found
    assert SlurmSetting("PMIxTimeout", "300", "mpi") in found
    assert SlurmController("backup", "slurmdb", "UP") in found


def test_partitions_and_jobs(facts):
    first, second, third = facts("scontrol_show_partition")
    assert (first.name, first.gpus, first.total_nodes, first.max_time) == (
        "partition1", 22384, 3140, 4320)  # fmt: skip
    assert (second.max_nodes, second.max_time, third.priority_tier) == (64, 20160, 1)
    (job,) = facts("scontrol_show_job")
    assert (job.id, job.gpus, job.nodes, job.run_time) == ("8401413", 64, 8, 192744)
    jobs = facts("squeue")
    assert [job.id for job in jobs] == [
        "45704744", "42953390_320", "42956774_3", "22783212", "42271120_[7-8%1]"]  # fmt: skip
    assert [job.gpus for job in jobs] == [2, 1, 256, 0, 160]
    assert [job.id for job in facts("squeue_json")] == ["26515966", "58948420"]
    (rest,) = facts("rest_jobs_json")
    assert (rest.id, rest.state, rest.node_list, rest.cpus) == (
        "349",
        "COMPLETED",
        "worker-[1,0]",
        4,
    )


def test_nodes(facts):
    table = facts("sinfo_table")
    assert {n.name: n.gpus_used for n in table}["node2626"] == 0
    assert [n.words for n in table if n.name == "node2654"] == ["DRAINED+DRAIN+MAINTENANCE"]
    pipe = facts("sinfo_pipe")
    assert [(n.name, n.gpus, n.reason) for n in pipe] == [
        ("node0201", 8, "replace"), ("node0201", 8, "replace"), ("node1537", 8, ""),
        ("node4180", 2, "")]  # fmt: skip
    memory = {n.name: (n.memory_mib, n.memory_allocated_mib) for n in facts("sinfo_mem")}
    assert memory["b003"] == (386000, 296960)
    (rest,) = facts("rest_node_json")
    assert (rest.gpus, rest.memory_mib, rest.version) == (1, 191356, "24.05.7")
    assert [n.state for n in facts("sinfo_json")] == ["MIXED", "IDLE", "ALLOCATED", "DOWN"]


def test_accounting_and_statistics(facts):
    rows = facts("sacct")
    assert len(rows) == 10
    assert {(r.id, r.elapsed, r.gpus, r.node_list) for r in rows} == {
        ("6539191_195.extern", 93050, 1, "learnnode0423")}  # fmt: skip
    assert dict(facts("sacctmgr_qos")[2].limits) == {"MaxTRESPU": "cpu=512,gres/gpu=16,mem=3600G"}
    (text,) = facts("sdiag_text")
    assert (text.cycle_max, text.backfill_max, text.cancelled) == (1407590, 5933334, 2835)
    statistics, *rpcs = facts("sdiag_json")
    assert isinstance(statistics, ControllerStatistics)
    assert (statistics.pending, statistics.database_queue) == (13455, 5)
    assert ControllerRpc("user", "abdh", 1977600400, 20954, 44311, 928512674) in rpcs
    assert facts("rest_diag_json")[0].cycle_max == 214748
