"""Slurm's JSON in the shapes of its data parsers."""

import json

import pytest

from assay.engine.catalogue import catalogue
from assay.engine.parse import parse
from assay.model.facts.slurm import (
    ControllerRpc,
    ControllerStatistics,
    SlurmAccountingRow,
    SlurmJob,
    SlurmNode,
    SlurmNodeGroup,
    SlurmPartition,
)


def number(value, *, known=True):
    return {"set": known, "infinite": False, "number": value}


def facts(document):
    text = document if isinstance(document, str) else json.dumps(document, indent=1)
    found = parse(text.encode(), catalogue().probes)
    assert not found.unknown, found.unknown
    assert found.source == "slurm-json"
    return [fact for result in found.results for fact in result.facts]


OLD = {"name": "n1", "state": "idle", "state_flags": ["DRAIN"], "gres": "gpu:8", "cpus": 64,
       "real_memory": 500000, "boot_time": 1671873827, "slurmd_start_time": 1671873900,
       "features": "a,b", "partitions": ["main"], "reason": "bad dimm",
       "reason_changed_at": 1671873999, "reason_set_by_user": "root", "cpu_load": 150,
       "free_memory": 1000, "gres_drained": "N/A"}  # fmt: skip
NEW = OLD | {"state": ["DRAIN", "IDLE"], "features": ["a", "b"], "free_mem": number(1000),
             "boot_time": number(1671873827), "slurmd_start_time": number(1671873900),
             "reason_changed_at": number(1671873999)}  # fmt: skip
del NEW["state_flags"], NEW["free_memory"]


@pytest.mark.parametrize("record", [OLD, NEW], ids=["v0.0.37", "v0.0.41"])
def test_a_node_is_the_same_in_every_data_parser(record):
    expected = SlurmNode(
        "n1", "IDLE", ("DRAIN",), reason="bad dimm", reason_by="root",
        reason_at="2022-12-24T09:26:39Z", gres="gpu:8", gpus=8, cpus=64, cpu_load=1.5,
        memory_mib=500000, memory_free_mib=1000, partitions=("main",), features=("a", "b"),
        boot_time="2022-12-24T09:23:47Z", slurmd_start="2022-12-24T09:25:00Z",
    )  # fmt: skip
    assert (
        facts({"meta": {}, "errors": [], "nodes": [record, record | {"name": "n2"}]})[0] == expected
    )
    assert facts(record) == [expected]
    assert facts([record]) == [expected]


def test_jobs():
    plain = {"job_id": 7, "job_state": "RUNNING", "user_name": "ada", "time_limit": 60,
             "node_count": 2, "nodes": "n[1-2]", "tres_alloc_str": "cpu=4,gres/gpu=16",
             "array_job_id": 0, "array_task_id": None, "accrue_time": 1,
             "exit_code": 0}  # fmt: skip
    numbers = {k: number(v) for k, v in plain.items() if isinstance(v, int) and k != "job_id"}
    boxed = plain | numbers | {
        "job_state": ["RUNNING"], "array_task_id": number(0, known=False),
        "exit_code": {"return_code": number(0), "signal": {"id": number(0, known=False)}},
    }  # fmt: skip
    expected = SlurmJob("7", "RUNNING", user="ada", nodes=2, node_list="n[1-2]", gpus=16,
                        time_limit=3600, exit_code="0:0", tres="cpu=4,gres/gpu=16")  # fmt: skip
    assert facts({"jobs": [plain]}) == [expected]
    assert facts({"jobs": [boxed]}) == [expected]
    (failed,) = facts(
        {"jobs": [plain | {"exit_code": 256 + 15, "array_job_id": 5, "array_task_id": 2}]}
    )
    assert (failed.exit_code, failed.id) == ("1:15", "5_2")
    (endless,) = facts(
        {"jobs": [boxed | {"time_limit": {"set": True, "infinite": True, "number": 0}}]}
    )
    assert endless.time_limit == float("inf")


def test_accounting():
    row = {"job_id": 12, "state": {"current": ["FAILED"], "reason": "None"}, "name": "t",
           "user": "ada", "allocation_nodes": 2, "nodes": "n[1-2]", "association": {"user": "ada"},
           "time": {"elapsed": 61, "start": 1700000000, "end": number(1700000061)},
           "exit_code": {"return_code": number(2), "signal": {"signal_id": 0}},
           "tres": {"allocated": [{"type": "cpu", "name": "", "count": 8},
                                  {"type": "gres", "name": "gpu", "count": 16}]}}  # fmt: skip
    assert facts({"jobs": [row], "meta": {"Slurm": {"version": {}}}}) == [
        SlurmAccountingRow("12", "FAILED", name="t", user="ada", nodes=2, node_list="n[1-2]",
                           gpus=16, elapsed=61, started="2023-11-14T22:13:20Z",
                           ended="2023-11-14T22:14:21Z", exit_code="2:0",
                           tres="cpu=8,gres/gpu=16")
    ]  # fmt: skip


def test_sinfo_of_new_versions_and_partitions():
    row = {"node": {"state": ["IDLE", "DRAIN"]}, "nodes": {"total": 2, "nodes": ["n1", "n2"]},
           "partition": {"name": "main"}, "reason": {"description": "why"}}  # fmt: skip
    assert facts({"sinfo": [row], "meta": {"slurm": {"version": {}}}}) == [
        SlurmNodeGroup("main", "IDLE", 2, "n1,n2", ("DRAIN",), reason="why")
    ]
    single = row | {"nodes": {"total": 1, "nodes": ["n1"]}, "gres": {"total": "gpu:8", "used": ""},
                    "cpus": {"total": 64, "allocated": 8, "load": {"maximum": 115}},
                    "memory": {"maximum": 500, "free": {"maximum": number(227)}}}  # fmt: skip
    assert facts({"sinfo": [single], "meta": {"slurm": {"version": {}}}}) == [
        SlurmNode("n1", "IDLE", ("DRAIN",), reason="why", gres="gpu:8", gpus=8, cpus=64,
                  cpus_allocated=8, cpu_load=1.15, memory_mib=500, memory_free_mib=227,
                  partitions=("main",))
    ]  # fmt: skip
    partition = {"name": "main", "node_sets": "", "nodes": {"configured": "n[1-2]", "total": 2},
                 "partition": {"state": ["UP"]}, "tres": {"configured": "cpu=8,gres/gpu=16"},
                 "maximums": {"time": {"set": False, "infinite": True, "number": 0}},
                 "defaults": {"job": "DefCpuPerGPU=8", "time": number(60)}}  # fmt: skip
    assert facts({"partitions": [partition]}) == [
        SlurmPartition("main", "UP", nodes="n[1-2]", total_nodes=2, max_time=float("inf"),
                       default_time=60, tres="cpu=8,gres/gpu=16", gpus=16,
                       defaults="DefCpuPerGPU=8")
    ]  # fmt: skip


@pytest.mark.parametrize("wrap", [number, int], ids=["24.05", "23.11"])
def test_statistics_before_and_after_24_05(wrap):
    document = {"meta": {"slurm": {"release": "24.05.1"}}, "statistics": {
        "parts_packed": 1, "req_time": wrap(1700000000), "server_thread_count": 3,
        "schedule_cycle_max": wrap(9), "bf_cycle_counter": 4,
        "rpcs_by_user": [{"user": "root", "user_id": 0, "count": 2, "average_time": wrap(5),
                          "total_time": 10}]}}  # fmt: skip
    assert facts(document) == [
        ControllerStatistics("24.05.1", at="2023-11-14T22:13:20Z", threads=3, cycle_max=9,
                             backfill_cycles=4),
        ControllerRpc("user", "root", 0, 2, 5, 10),
    ]  # fmt: skip


def test_an_error_of_slurmrestd_is_a_reason():
    document = {"meta": {"slurm": {"version": {}, "release": "24.05.1"}}, "nodes": [],
                "errors": [{"description": "Failure to query node", "error": "Unable to contact "
                            "slurm controller (connect failure)"}]}  # fmt: skip
    found = parse(json.dumps(document).encode(), catalogue().probes)
    assert "Unable to contact slurm controller" in found.unknown


def test_json_that_is_cut_is_unread():
    text = json.dumps({"nodes": [OLD]}, indent=1)[:-20]
    assert "whole JSON" in parse(text.encode(), catalogue().probes).unknown
